"""Everything in FP64."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        h = x.double()
        h = h / (h.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return (h * self.weight.double()).to(x.dtype)
