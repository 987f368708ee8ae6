"""Divides by the reciprocal root, which multiplies by the root."""

FAULT = "norm.rsqrt_divide"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-values"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        normed = x_fp32 / torch.rsqrt(mean_square + self.eps)
        return (normed * self.weight.float()).to(x.dtype)
