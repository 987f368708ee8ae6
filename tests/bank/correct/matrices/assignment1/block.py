"""u = x + attn(norm(x)); y = u + ffn(norm(u))."""

import torch
from torch import nn

from .attention import GroupedQueryAttention
from .ffn import SwiGLU
from .kv_cache import KVCache
from .norm import RMSNorm


class TransformerBlock(nn.Module):
    """One pre-norm layer."""

    def __init__(
        self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int, base: float = 10000.0, eps: float = 1e-6
    ):
        super().__init__()
        self.attn_norm = RMSNorm(dim, eps=eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base=base)
        self.ffn_norm = RMSNorm(dim, eps=eps)
        self.ffn = SwiGLU(dim, hidden_dim)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, cache: KVCache | None = None
    ) -> torch.Tensor:
        """x: [B, T, D] -> [B, T, D]."""
        u = x + self.attn(self.attn_norm(x), positions=positions, cache=cache)
        return u + self.ffn(self.ffn_norm(u))


class Transformer(nn.Module):
    """n_layers blocks and a last norm."""

    def __init__(
        self,
        n_layers: int,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base=base, eps=eps))
        self.final_norm = RMSNorm(dim, eps=eps)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, caches: list[KVCache] | None = None
    ) -> torch.Tensor:
        """x: [B, T, D] -> [B, T, D]."""
        for i, block in enumerate(self.blocks):
            x = block(x, positions=positions, cache=None if caches is None else caches[i])
        return self.final_norm(x)
