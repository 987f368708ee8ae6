"""Uses 1e-5 whatever eps it is given."""

FAULT = "norm.eps_ignored"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-eps"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        return (x_fp32 * torch.rsqrt(mean_square + 1e-5) * self.weight.float()).to(x.dtype)
