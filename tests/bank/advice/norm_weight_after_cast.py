"""Casts the normalised input back before the weight multiplies it, which rounds twice."""

FAULT = "norm.weight_after_cast"
MUTATES = "assignment1/norm.py"
KILLED_BY = set()

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        normed = (x_fp32 * torch.rsqrt(mean_square + self.eps)).to(x.dtype)
        return normed * self.weight.to(x.dtype)
