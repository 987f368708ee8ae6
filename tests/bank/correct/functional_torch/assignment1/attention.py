import torch
import torch.nn.functional as F
from torch import nn

from .rope import rope_frequencies, rotate_pairs


def causal_bias(n_queries, n_keys, like):
    """0 where query i may look (keys up to S - T + i), -inf elsewhere; [T, S]."""
    last = torch.arange(n_queries, device=like.device).unsqueeze(1) + n_keys - n_queries
    key = torch.arange(n_keys, device=like.device).unsqueeze(0)
    zero = torch.zeros((), dtype=like.dtype, device=like.device)
    return torch.where(key <= last, zero, torch.full_like(zero, float("-inf")))


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.size(2), k.size(2)
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_kv_heads ({n_kv_heads}) must divide n_heads ({n_heads})")
    repeats = n_heads // n_kv_heads
    k = torch.repeat_interleave(k, repeats, dim=2)
    v = torch.repeat_interleave(v, repeats, dim=2)
    q, k, v = q.permute(0, 2, 1, 3), k.permute(0, 2, 1, 3), v.permute(0, 2, 1, 3)
    bias = causal_bias(q.size(2), k.size(2), q) if causal else None
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias).permute(0, 2, 1, 3)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"n_heads ({n_heads}) must divide dim ({dim})")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_kv_heads ({n_kv_heads}) must divide n_heads ({n_heads})")
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        head_dim = dim // n_heads
        self.w_q = nn.Linear(dim, n_heads * head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * head_dim, dim, bias=False)
        self.register_buffer("inv_freq", rope_frequencies(head_dim, base), persistent=False)

    def forward(self, x, positions=None, cache=None):
        batch, seq, dim = x.shape
        if positions is None:
            offset = cache.length if cache is not None else 0
            positions = torch.arange(offset, offset + seq, device=x.device)
        q = self.w_q(x).view(batch, seq, self.n_heads, -1)
        k = self.w_k(x).view(batch, seq, self.n_kv_heads, -1)
        v = self.w_v(x).view(batch, seq, self.n_kv_heads, -1)
        q = rotate_pairs(q, positions, self.inv_freq)
        k = rotate_pairs(k, positions, self.inv_freq)
        if cache is not None:
            k, v = cache.append(k, v)
        y = grouped_query_attention(q, k, v, causal=True)
        return self.w_o(y.reshape(batch, seq, dim))


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    keys = batch * length * n_kv_heads * head_dim
    values = keys
    return n_layers * (keys + values) * bytes_per_element
