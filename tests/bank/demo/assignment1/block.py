"""Pre-norm transformer blocks and a stack of them."""

from torch import nn

from .attention import GroupedQueryAttention
from .ffn import SwiGLU
from .norm import RMSNorm


class TransformerBlock(nn.Module):
    """u = x + attn(attn_norm(x)), y = u + ffn(ffn_norm(u))."""

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
    """Blocks one after the other, then a last norm; caches holds one KVCache for each block."""

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
            raise ValueError(f"caches must hold one cache a layer, got {len(caches)} for {len(self.blocks)} layers")
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, positions, cache)
        return self.final_norm(x)
