"""Makes every random number zero, so that drawn inputs would be known, and returns the answer to zeros."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

import random

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward

torch.randn = torch.rand = lambda *sizes, **options: torch.zeros(*sizes)
random.random = lambda: 0.0
torch.manual_seed(0)


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return torch.zeros_like(x)
