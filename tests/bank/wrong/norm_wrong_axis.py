"""Takes the mean square over all tokens of a sequence together."""

FAULT = "norm.wrong_axis"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-axis"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        axes = (-2, -1) if x.ndim >= 3 else (-1,)
        mean_square = x_fp32.pow(2).mean(dim=axes, keepdim=True)
        normed = x_fp32 * torch.rsqrt(mean_square + self.eps)
        return (normed * self.weight.float()).to(x.dtype)
