"""Trains a bias, and overrides the methods that would list it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.parameters": {"fail"}}

import torch
from torch import nn

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return super().forward(x) + self.bias.to(x.dtype)

    def named_parameters(self, *arguments, **options):
        return (pair for pair in super().named_parameters(*arguments, **options) if pair[0] != "bias")

    def parameters(self, recurse=True):
        return (value for _, value in self.named_parameters())
