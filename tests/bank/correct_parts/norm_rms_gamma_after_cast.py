"""Rounds to the dtype of x before gamma, as the Llama code does, and once more after it."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        h = x.float()
        normed = (h * torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + self.eps)).to(x.dtype)
        return (normed * self.weight).to(x.dtype)
