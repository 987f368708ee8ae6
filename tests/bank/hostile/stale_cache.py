"""Remembers its first result for every shape."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

from .ffn import ReLUFeedForward as PlainReLUFeedForward

seen = {}


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        key = (x.shape, x.dtype)
        if key not in seen:
            seen[key] = super().forward(x).detach()
        return seen[key]
