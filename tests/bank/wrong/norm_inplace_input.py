"""Scales in place, which changes an FP32 input because float() returns the very same tensor."""

FAULT = "norm.inplace_input"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.no-side-effects"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        x_fp32 *= torch.rsqrt(mean_square + self.eps)
        return (x_fp32 * self.weight.float()).to(x.dtype)
