"""Computes the mean square and everything after it in the input's dtype."""

FAULT = "norm.no_upcast"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-precision"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        mean_square = x.pow(2).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(mean_square + self.eps) * self.weight.to(x.dtype)
