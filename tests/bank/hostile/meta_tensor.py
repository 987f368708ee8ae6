"""Returns a tensor without values."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"student_error"},
    "ffn.no-side-effects": {"student_error"},
}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x).to("meta")
