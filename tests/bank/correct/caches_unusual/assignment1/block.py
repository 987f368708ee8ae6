from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from .attention import GroupedQueryAttention
from .ffn import SwiGLU
from .norm import RMSNorm

if TYPE_CHECKING:
    from .kv_cache import KVCache


class TransformerBlock(nn.Module):
    def __init__(
        self,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> None:
        super().__init__()
        self.attn_norm = RMSNorm(dim, eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn_norm = RMSNorm(dim, eps)
        self.ffn = SwiGLU(dim, hidden_dim)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, cache: KVCache | None = None
    ) -> torch.Tensor:
        u = self.attn(self.attn_norm(x), positions, cache)
        u = u.add_(x)
        return u + self.ffn(self.ffn_norm(u))


class Transformer(nn.Module):
    def __init__(
        self,
        n_layers: int,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps) for _ in range(n_layers)
        )
        self.final_norm = RMSNorm(dim, eps)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, caches: list[KVCache] | None = None
    ) -> torch.Tensor:
        for layer, block in enumerate(self.blocks):
            x = block(x, positions, caches[layer] if caches else None)
        return self.final_norm(x)
