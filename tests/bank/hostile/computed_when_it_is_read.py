"""Returns a tensor that computes its values when somebody reads them: odd, and right."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Later(torch.Tensor):
    def detach(self):
        return self.compute()


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        if x.requires_grad:
            return super().forward(x)
        later = torch.zeros_like(x).as_subclass(Later)
        later.compute = lambda: PlainReLUFeedForward.forward(self, x).detach()
        return later
