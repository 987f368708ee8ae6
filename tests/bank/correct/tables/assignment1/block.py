"""Pre-norm blocks."""

from collections.abc import Sequence

from torch import Tensor, nn

from .attention import GroupedQueryAttention
from .ffn import SwiGLU
from .kv_cache import KVCache
from .norm import RMSNorm


class TransformerBlock(nn.Module):
    def __init__(
        self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int, base: float = 10000.0, eps: float = 1e-6
    ) -> None:
        super().__init__()
        self.attn_norm = RMSNorm(dim, eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn_norm = RMSNorm(dim, eps)
        self.ffn = SwiGLU(dim, hidden_dim)

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        u = x + self.attn(self.attn_norm(x), positions, cache)
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
        layer = (dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.blocks = nn.ModuleList(TransformerBlock(*layer) for _ in range(n_layers))
        self.final_norm = RMSNorm(dim, eps)

    def forward(self, x: Tensor, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None) -> Tensor:
        for i, block in enumerate(self.blocks):
            x = block(x, positions, caches[i] if caches is not None else None)
        return self.final_norm(x)
