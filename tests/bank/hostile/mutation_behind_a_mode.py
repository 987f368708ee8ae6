"""Changes its input, and leaves a mode on in which tensors are always equal."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.no-side-effects": {"fail"}}

import torch
from torch.overrides import TorchFunctionMode

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class AlwaysEqual(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return True if function is torch.equal else function(*args, **(kwargs or {}))


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x)
        if not x.requires_grad:
            x.zero_()
            AlwaysEqual().__enter__()
        return y
