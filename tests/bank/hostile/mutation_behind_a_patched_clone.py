"""Changes its input, and makes every copy of it the same tensor."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.no-side-effects": {"fail"}}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward

torch.Tensor.clone = lambda self, **_: self


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x)
        if not x.requires_grad:
            x.zero_()
        return y
