"""Casts back before the weight, and the FP32 weight makes a bf16 result FP32 again."""

FAULT = "norm.dtype_promote"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-dtype"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        normed = (x_fp32 * torch.rsqrt(mean_square + self.eps)).to(x.dtype)
        return normed * self.weight
