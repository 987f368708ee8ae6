from torch import nn

from .attention import *  # noqa: F403 - the style
from .ffn import *  # noqa: F403 - the style
from .norm import *  # noqa: F403 - the style

# ruff: noqa: F405


class TransformerBlock(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.attn_norm, self.attn = RMSNorm(dim, eps), GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn_norm, self.ffn = RMSNorm(dim, eps), SwiGLU(dim, hidden_dim)

    def forward(self, x, positions=None, cache=None):
        u = x + self.attn(self.attn_norm(x), positions, cache)
        return u + self.ffn(self.ffn_norm(u))


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        args = dim, n_heads, n_kv_heads, hidden_dim, base, eps
        self.blocks, self.final_norm = (
            nn.ModuleList(TransformerBlock(*args) for _ in range(n_layers)),
            RMSNorm(dim, eps),
        )

    def forward(self, x, positions=None, caches=None):
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks), strict=True):
            x = block(x, positions, cache)
        return self.final_norm(x)
