"""Grouped-query attention on top of torch's fused kernel."""

import torch
import torch.nn.functional as F
from torch import nn

from .rope import apply_rope


def bottom_right_mask(n_queries, n_keys, device):
    """True where query i may look: keys 0 .. n_keys - n_queries + i. [T, S]."""
    full = torch.ones(n_queries, n_keys, dtype=torch.bool, device=device)
    return full.tril(diagonal=n_keys - n_queries)


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_kv_heads < 1 or n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got n_heads={n_heads}, n_kv_heads={n_kv_heads}")
    # is_causal=True would be aligned at the top left, which is wrong as soon as there is a history
    mask = bottom_right_mask(q.shape[1], k.shape[1], q.device) if causal else None
    out = F.scaled_dot_product_attention(
        q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=mask, enable_gqa=True
    )
    return out.transpose(1, 2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"dim must be a multiple of n_heads, got dim={dim}, n_heads={n_heads}")
        if n_kv_heads < 1 or n_heads % n_kv_heads != 0:
            raise ValueError(
                f"n_heads must be a multiple of n_kv_heads, got n_heads={n_heads}, n_kv_heads={n_kv_heads}"
            )
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = dim // n_heads
        self.base = base
        self.w_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x, positions=None, cache=None):
        batch, seq, _ = x.shape
        if positions is None:
            start = 0 if cache is None else cache.length
            positions = torch.arange(start, start + seq, device=x.device)
        q = self.w_q(x).view(batch, seq, self.n_heads, self.head_dim)
        k = self.w_k(x).view(batch, seq, self.n_kv_heads, self.head_dim)
        v = self.w_v(x).view(batch, seq, self.n_kv_heads, self.head_dim)
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
        out = grouped_query_attention(q, k, v, causal=True)
        return self.w_o(out.reshape(batch, seq, -1))


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    elements = batch * length * n_layers * n_kv_heads * head_dim
    return 2 * elements * bytes_per_element
