"""Gives RMSNorm a trained bias like LayerNorm's."""

FAULT = "norm.rms_bias"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.parameters"}

import torch
from torch import nn

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def __init__(self, dim, eps=1e-6):
        super().__init__(dim, eps)
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return (super().forward(x.float()) + self.bias.float()).to(x.dtype)
