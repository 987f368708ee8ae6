"""Grouped-query attention: expand + reshape for the groups, an additive mask for SDPA."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from .kv_cache import KVCache
from .rope import RotaryTable, rotate


def spread(x: Tensor, groups: int) -> Tensor:
    """[B, S, Hkv, d] -> [B, Hkv * groups, S, d]; neighbours share a head."""
    batch, length, heads, dim = x.shape
    x = x.transpose(1, 2)[:, :, None].expand(batch, heads, groups, length, dim)
    return x.reshape(batch, heads * groups, length, dim)


def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
    heads, kv_heads = q.shape[2], k.shape[2]
    if heads % kv_heads:
        raise ValueError(f"n_kv_heads: expected a divisor of n_heads = {heads}, got {kv_heads}")
    new, total = q.shape[1], k.shape[1]
    bias = torch.zeros(new, total, dtype=q.dtype, device=q.device)
    if causal:
        later = torch.ones(new, total, dtype=torch.bool, device=q.device).triu(1 + total - new)
        bias = bias.masked_fill(later, float("-inf"))
    groups = heads // kv_heads
    out = scaled_dot_product_attention(q.transpose(1, 2), spread(k, groups), spread(v, groups), attn_mask=bias)
    return out.transpose(1, 2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> None:
        super().__init__()
        if n_heads < 1 or dim % n_heads:
            raise ValueError(f"n_heads: expected a divisor of dim = {dim}, got {n_heads}")
        if n_kv_heads < 1 or n_heads % n_kv_heads:
            raise ValueError(f"n_kv_heads: expected a divisor of n_heads = {n_heads}, got {n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.w_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.rotary = RotaryTable(self.head_dim, base)

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        batch, time, _ = x.shape
        if positions is None:
            past = cache.length if cache else 0
            positions = torch.arange(past, past + time, device=x.device)
        q = self.w_q(x).reshape(batch, time, self.n_heads, self.head_dim)
        k = self.w_k(x).reshape(batch, time, self.n_kv_heads, self.head_dim)
        v = self.w_v(x).reshape(batch, time, self.n_kv_heads, self.head_dim)
        q, k = rotate(q, positions, self.rotary), rotate(k, positions, self.rotary)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).reshape(batch, time, -1))


def kv_cache_bytes(
    batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
) -> int:
    shape = (2, n_layers, batch, length, n_kv_heads, head_dim)
    return torch.Size(shape).numel() * bytes_per_element
