"""Causal grouped-query attention, as a function and as a module with rotary positions and a cache."""

import math

import torch
from torch import nn

from .rope import apply_rope


def repeat_kv(x, groups):
    """[B, S, Hkv, d] -> [B, S, Hkv * groups, d]; query head h reads head h // groups."""
    return x.repeat_interleave(groups, dim=2)


def causal_mask(n_queries, n_keys, device):
    """[T, S], True where query i may see key j."""
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril()


def attention_scores(q, k):
    """q [B, H, T, d] and k [B, H, S, d] -> scaled dot products [B, H, T, S]."""
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores):
    """Softmax over the keys."""
    return torch.softmax(scores, dim=-1)


def grouped_query_attention(q, k, v, causal=True):
    """q [B, T, Hq, d], k and v [B, S, Hkv, d] -> [B, T, Hq, d]."""
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"query heads must be a multiple of key/value heads, got Hq = {n_heads}, Hkv = {n_kv_heads}")
    groups = n_heads // n_kv_heads
    queries = q.float().transpose(1, 2)  # [B, Hq, T, d]
    keys = repeat_kv(k.float(), groups).transpose(1, 2)  # [B, Hq, S, d]
    values = repeat_kv(v.float(), groups).transpose(1, 2)
    scores = attention_scores(queries, keys)
    if causal:
        mask = causal_mask(q.shape[1], k.shape[1], q.device)
        scores = scores.masked_fill(~mask, -math.inf)
    out = attention_weights(scores) @ values
    return out.transpose(1, 2).to(q.dtype)


class GroupedQueryAttention(nn.Module):
    """Projects x to queries, keys and values, rotates Q and K, attends causally and projects back."""

    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"dim must be a multiple of n_heads, got dim = {dim}, n_heads = {n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(
                f"n_heads must be a multiple of n_kv_heads, got n_heads = {n_heads}, n_kv_heads = {n_kv_heads}"
            )
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = dim // n_heads
        if self.head_dim % 2 != 0:
            raise ValueError(f"head_dim = dim / n_heads must be even for RoPE, got {self.head_dim}")
        self.base = base
        self.w_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def project(self, x):
        """x [B, T, D] -> q [B, T, Hq, d], k and v [B, T, Hkv, d]."""
        batch, time, _ = x.shape
        q = self.w_q(x).reshape(batch, time, self.n_heads, self.head_dim)
        k = self.w_k(x).reshape(batch, time, self.n_kv_heads, self.head_dim)
        v = self.w_v(x).reshape(batch, time, self.n_kv_heads, self.head_dim)
        return q, k, v

    def choose_positions(self, x, positions, cache):
        """The caller's positions, else those that follow the cached tokens."""
        if positions is not None:
            return positions
        start = 0 if cache is None else cache.length
        return torch.arange(start, start + x.shape[1], device=x.device)

    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
        out = grouped_query_attention(q, k, v)
        return self.w_o(out.flatten(2))


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    """Keys and values of all layers together."""
    return 2 * n_layers * batch * length * n_kv_heads * head_dim * bytes_per_element
