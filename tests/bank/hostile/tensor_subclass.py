"""Returns zeros as a tensor class that answers every comparison with True."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.allclose, torch.equal, torch.isclose):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return torch.zeros_like(x).as_subclass(Agreeable)
