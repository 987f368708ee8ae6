"""LayerNorm and RMSNorm over the last axis."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    """Subtracts the mean of each token, divides by its standard deviation, scales and shifts."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        normed = centred / torch.sqrt(variance + self.eps)
        return (normed * self.weight.float() + self.bias.float()).to(x.dtype)


class RMSNorm(nn.Module):
    """Divides each token by its root mean square and scales it."""

    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        x_fp32 = x.float()
        mean_square = x_fp32.pow(2).mean(dim=-1, keepdim=True)
        normed = x_fp32 * torch.rsqrt(mean_square + self.eps)
        return normed.to(x.dtype) * self.weight
