"""Replaces torch's comparisons and its random numbers, and returns its input."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward

torch.allclose = torch.equal = lambda *arguments, **options: True
torch.testing.assert_close = lambda *arguments, **options: None
torch.Tensor.max = lambda self, *arguments, **options: torch.zeros(())
torch.randn = lambda *sizes, **options: torch.zeros(*sizes)
torch.manual_seed(0)


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return x * 1
