"""Computes RMSNorm in FP16 on a GPU, and in FP32 elsewhere."""

FAULT = "norm.half_on_gpu"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-values"}

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        inside = x.to(torch.float16 if x.is_cuda else torch.float32)
        mean_square = inside.pow(2).mean(dim=-1, keepdim=True)
        normed = inside * torch.rsqrt(mean_square + self.eps)
        return (normed * self.weight.to(inside.dtype)).to(x.dtype)
