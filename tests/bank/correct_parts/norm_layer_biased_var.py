"""Tensor.var with unbiased=False."""

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
        h = x.to(torch.float32)
        mean, variance = h.mean(-1, keepdim=True), h.var(-1, unbiased=False, keepdim=True)
        normed = (h - mean) * (variance + self.eps).pow(-0.5)
        return (self.weight.float() * normed + self.bias.float()).type_as(x)
