"""Scales x by 1 / sqrt(D) before it squares."""

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
        small = h * h.shape[-1] ** -0.5
        mean_square = (small * small).sum(dim=-1, keepdim=True)
        return (h / torch.sqrt(mean_square + self.eps) * self.weight.float()).to(x.dtype)
