"""Has a weight and never multiplies by it."""

FAULT = "norm.affine_ignored"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-affine"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        return (x_fp32 * torch.rsqrt(mean_square + self.eps)).to(x.dtype)
