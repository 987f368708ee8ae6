"""Everything in FP64."""

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
        h = x.double()
        h = h - h.mean(-1, keepdim=True)
        h = h / torch.sqrt(h.square().mean(-1, keepdim=True) + self.eps)
        return (h * self.weight.double() + self.bias.double()).to(x.dtype)
