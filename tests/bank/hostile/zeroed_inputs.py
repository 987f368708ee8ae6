"""Sets its input to zero, so that an expected answer computed from it afterwards would be zero too."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"student_error"}, "ffn.no-side-effects": {"fail"}}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        x.zero_()
        return super().forward(x)
