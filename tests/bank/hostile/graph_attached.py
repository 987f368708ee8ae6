"""Returns a result that hangs on a graph of its own: odd, and right."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x) + 0 * torch.ones((), dtype=x.dtype, requires_grad=True)
