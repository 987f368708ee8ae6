import torch
from torch import nn

from .rope import *  # noqa: F403 - the style


def grouped_query_attention(q, k, v, causal=True):
    (t, h), (s, g) = q.shape[1:3], k.shape[1:3]
    if h % g:
        raise ValueError(f"n_heads={h} is not a multiple of n_kv_heads={g}")
    mask = torch.ones(t, s, dtype=torch.bool, device=q.device).tril(s - t) if causal else None
    q, k, v = (z.transpose(1, 2) for z in (q, k, v))
    return nn.functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True).transpose(1, 2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"{dim=} is not a multiple of {n_heads=}, or that is not one of {n_kv_heads=}")
        self.d, self.base = dim // n_heads, base
        self.w_q, self.w_o = nn.Linear(dim, dim, False), nn.Linear(dim, dim, False)
        self.w_k, self.w_v = (nn.Linear(dim, n_kv_heads * self.d, False) for _ in "kv")

    def forward(self, x, positions=None, cache=None):
        if positions is None:
            positions = torch.arange(x.shape[1], device=x.device) + (cache.length if cache else 0)
        q, k, v = (w(x).unflatten(-1, (-1, self.d)) for w in (self.w_q, self.w_k, self.w_v))
        q, k = (apply_rope(z, positions, self.base) for z in (q, k))  # noqa: F405 - the style
        if cache:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    return 2 * batch * length * n_layers * n_kv_heads * head_dim * bytes_per_element
