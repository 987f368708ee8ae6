"""Trains a bias that says it is not trained."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.parameters": {"fail"}}

import torch
from torch import nn

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Shy(nn.Parameter):
    @property
    def requires_grad(self):
        return False


class ReLUFeedForward(PlainReLUFeedForward):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.bias = Shy(torch.zeros(dim))

    def forward(self, x):
        return super().forward(x) + self.bias.detach().to(x.dtype)
