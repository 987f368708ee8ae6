"""Pre-norm transformer."""

from torch import nn

from .attention import GroupedQueryAttention
from .ffn import SwiGLU
from .norm import RMSNorm


class TransformerBlock(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.attn_norm = RMSNorm(dim, eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn_norm = RMSNorm(dim, eps)
        self.ffn = SwiGLU(dim, hidden_dim)

    def forward(self, x, positions=None, cache=None):
        u = x + self.attn(self.attn_norm(x), positions, cache)
        return u + self.ffn(self.ffn_norm(u))


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.blocks = nn.ModuleList(
            TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps) for _ in range(n_layers)
        )
        self.final_norm = RMSNorm(dim, eps)

    def forward(self, x, positions=None, caches=None):
        if caches is None:
            caches = [None] * len(self.blocks)
        if len(caches) != len(self.blocks):
            raise ValueError(f"caches must hold one cache a layer ({len(self.blocks)}), got {len(caches)}")
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, positions, cache)
        return self.final_norm(x)
