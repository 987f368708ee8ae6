"""Divides by the square root."""

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
        rms = torch.sqrt((h * h).mean(dim=-1, keepdim=True) + self.eps)
        return (h / rms * self.weight.float()).to(x.dtype)
