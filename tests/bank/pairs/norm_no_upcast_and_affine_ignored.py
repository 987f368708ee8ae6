"""Computes the statistics of RMSNorm in x's dtype, and never multiplies by its weight."""

FAULTS = ("norm.affine_ignored", "norm.no_upcast")
MUTATES = "assignment1/norm.py"

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps)
