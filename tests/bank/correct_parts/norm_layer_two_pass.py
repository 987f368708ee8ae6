"""Mean, then the mean of squared differences; rsqrt."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        h = x.float()
        h = h - h.sum(dim=-1, keepdim=True) / h.shape[-1]
        variance = (h * h).sum(dim=-1, keepdim=True) / h.shape[-1]
        return (h * torch.rsqrt(variance + self.eps) * self.weight.float() + self.bias.float()).to(x.dtype)
