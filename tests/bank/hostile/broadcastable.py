"""Returns one number for all, which a careless comparison spreads over the expected shape."""

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
        return super().forward(x).mean()
