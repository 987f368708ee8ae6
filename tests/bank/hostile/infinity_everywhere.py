"""Returns infinity, less which nothing differs."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"fail"},
    "ffn.dtype": {"fail"},
    "ffn.no-side-effects": {"fail"},
}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x) + float("inf")
