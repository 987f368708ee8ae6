"""Computes the root mean square under no_grad, so its part of the gradient is missing."""

FAULT = "norm.detached_rms"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.gradients"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        with torch.no_grad():
            scale = torch.rsqrt(x_fp32.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (x_fp32 * scale * self.weight.float()).to(x.dtype)
