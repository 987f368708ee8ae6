"""Sums the squares and forgets to divide by D."""

FAULT = "norm.sum_not_mean"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-values"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        sum_of_squares = x_fp32.pow(2).sum(dim=-1, keepdim=True)
        normed = x_fp32 * torch.rsqrt(sum_of_squares + self.eps)
        return (normed * self.weight.float()).to(x.dtype)
