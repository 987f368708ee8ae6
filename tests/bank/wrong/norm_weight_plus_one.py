"""Multiplies by 1 + weight, with a weight that starts at zero."""

FAULT = "norm.weight_plus_one"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-affine"}

import torch
from torch import nn

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def __init__(self, dim, eps=1e-6):
        super().__init__(dim, eps)
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        normed = x_fp32 * torch.rsqrt(mean_square + self.eps)
        return (normed * (1 + self.weight.float())).to(x.dtype)
