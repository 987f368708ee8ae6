"""Returns a tensor with more axes than an answer may have."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"fail"},
    "ffn.no-side-effects": {"student_error"},
}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x).reshape(*[1] * 20, *x.shape)
