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
        u = x + self.attn(self.attn_norm(x), positions=positions, cache=cache)
        return u + self.ffn(self.ffn_norm(u))


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps))
        self.final_norm = RMSNorm(dim, eps)

    def forward(self, x, positions=None, caches=None):
        if caches is not None and len(caches) != len(self.blocks):
            raise ValueError(f"caches must have {len(self.blocks)} entries, one for each layer, got {len(caches)}")
        for layer, block in enumerate(self.blocks):
            cache = caches[layer] if caches is not None else None
            x = block(x, positions=positions, cache=cache)
        return self.final_norm(x)
