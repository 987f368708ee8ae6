"""Variance as E[x^2] - E[x]^2 in FP32, never below 0."""

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
        mean = h.mean(dim=-1, keepdim=True)
        variance = (h.square().mean(dim=-1, keepdim=True) - mean.square()).clamp(min=0.0)
        normed = (h - mean) * torch.rsqrt(variance + self.eps)
        return (normed * self.weight.float() + self.bias.float()).to(x.dtype)
