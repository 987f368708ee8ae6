"""The mean square to the power -0.5."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        h = x.to(torch.float32)
        scale = (torch.mean(h**2, dim=-1, keepdim=True) + self.eps).pow(-0.5)
        return (self.weight.float() * (h * scale)).to(x.dtype)
