"""Divides by the standard deviation instead of the root mean square."""

FAULT = "norm.centered"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-values"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        variance = x_fp32.var(dim=-1, keepdim=True, unbiased=False)
        normed = x_fp32 * torch.rsqrt(variance + self.eps)
        return (normed * self.weight.float()).to(x.dtype)
