"""LayerNorm and RMSNorm. FP32 comes from type promotion: an FP32 scalar tensor would not be enough, so add zeros."""

import torch
from torch import Tensor, nn


def promoted(x: Tensor, dim: int) -> Tensor:
    """x as at least FP32: a bf16 tensor plus an FP32 tensor is FP32."""
    return x + torch.zeros(dim, dtype=torch.float32, device=x.device)


class LayerNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = promoted(x, self.dim)
        centred = wide - wide.mean(-1, keepdim=True)
        rstd = torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.eps)
        return (centred * rstd * self.weight + self.bias).to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = promoted(x, self.dim)
        rstd = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * rstd * self.weight).to(x.dtype)
