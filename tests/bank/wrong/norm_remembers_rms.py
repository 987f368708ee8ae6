"""Computes the root mean square for the first input of a shape and reuses it for all later ones."""

FAULT = "norm.remembers_rms"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.no-side-effects"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def __init__(self, dim, eps=1e-6):
        super().__init__(dim, eps)
        self.scales = {}

    def forward(self, x):
        x_fp32 = x.float()
        if x.shape not in self.scales:
            self.scales[x.shape] = torch.rsqrt(x_fp32.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (x_fp32 * self.scales[x.shape] * self.weight.float()).to(x.dtype)
