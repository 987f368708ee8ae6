"""Returns the right values in FP64."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.dtype": {"fail"}, "ffn.no-side-effects": {"fail"}}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x).double()
