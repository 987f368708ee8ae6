from __future__ import annotations

import torch
from torch import nn


class LayerNorm(nn.Module):
    weight: nn.Parameter
    bias: nn.Parameter

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(dim))
        self.bias = nn.Parameter(torch.empty(dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        h = x.float()
        mu = h.mean(-1, keepdim=True)
        v = h.var(-1, unbiased=False, keepdim=True)
        h = (h - mu) / torch.sqrt(v + self.eps)
        h = self.weight.float() * h + self.bias.float()
        return h.to(dtype)


class RMSNorm(nn.Module):
    weight: nn.Parameter

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, h: torch.Tensor) -> torch.Tensor:
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # same order as in the Llama code: back to the input's dtype first, then gamma
        h = self._norm(x.float()).type_as(x)
        return (h * self.weight).type_as(x)
