"""Normalisation over the last axis, written with einsum and mean."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    """gamma * (x - mu) / sqrt(v + eps) + beta, x: [..., D]."""

    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x.to(torch.float32)
        centred = h - h.mean(dim=-1, keepdim=True)
        variance = torch.einsum("...i,...i->...", centred, centred) / h.shape[-1]
        normalised = centred / (variance + self.eps).sqrt().unsqueeze(-1)
        return (normalised * self.weight + self.bias).to(x.dtype)


class RMSNorm(nn.Module):
    """gamma * x / sqrt(mean(x^2) + eps), x: [..., D]."""

    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x.to(torch.float32)
        mean_square = torch.einsum("...i,...i->...", h, h) / h.shape[-1]
        scale = torch.rsqrt(mean_square + self.eps).unsqueeze(-1)
        return (h * scale * self.weight).to(x.dtype)
