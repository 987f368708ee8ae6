"""Changes its input, and replaces the comparison by which its process would notice."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.no-side-effects": {"fail"}}

import sys

from .ffn import ReLUFeedForward as PlainReLUFeedForward

sys.modules["grader.worker.serve"]._same_bits = lambda *_: True


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x)
        if not x.requires_grad:
            x.zero_()
        return y
