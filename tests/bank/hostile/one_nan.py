"""Returns the right values but for one NaN."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"fail"},
    "ffn.dtype": {"fail"},
    "ffn.gradients": {"fail"},
    "ffn.no-side-effects": {"fail"},
}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x).clone()
        y.view(-1)[0] = float("nan")
        return y
