"""Computes the mean square on the CPU, where sums are said to be more exact."""

FAULT = "norm.cpu_round_trip"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"device.no-round-trip"}

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.cpu().pow(2).mean(dim=-1, keepdim=True)
        normed = x_fp32 * torch.rsqrt(mean_square + self.eps).to(x.device)
        return (normed * self.weight.float()).to(x.dtype)
