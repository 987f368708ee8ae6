"""Transformer block and stack, normalised before each sublayer."""

from torch import nn

from . import attention, ffn, norm


class TransformerBlock(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.attn_norm, self.ffn_norm = norm.RMSNorm(dim, eps), norm.RMSNorm(dim, eps)
        self.attn = attention.GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn = ffn.SwiGLU(dim, hidden_dim)

    def forward(self, x, positions=None, cache=None):
        x = x + self.attn(self.attn_norm(x), positions, cache)
        return x + self.ffn(self.ffn_norm(x))


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.blocks = nn.ModuleList(
            [TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps) for _ in range(n_layers)]
        )
        self.final_norm = norm.RMSNorm(dim, eps)

    def forward(self, x, positions=None, caches=None):
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks), strict=True):
            x = block(x, positions, cache)
        return self.final_norm(x)
