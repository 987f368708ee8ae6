"""Subtracts the mean by multiplying with I - 1/D."""

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
        width = h.shape[-1]
        centring = torch.eye(width, dtype=torch.float32, device=x.device) - 1.0 / width
        h = h @ centring
        h = h / torch.sqrt(h.square().mean(-1, keepdim=True) + self.eps)
        return (h * self.weight.float() + self.bias.float()).to(x.dtype)
