import torch.nn as nn

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
        residual = x
        h = self.attn_norm(x)
        h = self.attn(h, positions, cache)
        u = residual + h
        residual = u
        h = self.ffn_norm(u)
        h = self.ffn(h)
        return residual + h


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        layers = []
        for _ in range(n_layers):
            layers.append(TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps))
        self.blocks = nn.ModuleList(layers)
        self.final_norm = RMSNorm(dim, eps)

    def forward(self, x, positions=None, caches=None):
        for i in range(len(self.blocks)):
            cache = None
            if caches is not None:
                cache = caches[i]
            x = self.blocks[i](x, positions, cache)
        return self.final_norm(x)
