"""Gamma times x first, the scale afterwards."""

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
        scale = torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (self.weight.float() * h * scale).type_as(x)
