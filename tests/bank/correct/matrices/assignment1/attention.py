"""Grouped-query attention; the group is an axis of its own, so nothing is repeated."""

import torch
from torch import nn

from .kv_cache import KVCache
from .rope import apply_rope


def check_heads(n_heads: int, n_kv_heads: int) -> int:
    """Query heads per key/value head."""
    if n_kv_heads <= 0 or n_heads % n_kv_heads:
        raise ValueError(f"n_heads = {n_heads} is not divisible by n_kv_heads = {n_kv_heads}")
    return n_heads // n_kv_heads


def grouped_query_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True) -> torch.Tensor:
    """q [B, T, Hq, d], k and v [B, S, Hkv, d] -> [B, T, Hq, d]."""
    b, t, n_heads, d = q.shape
    s, n_kv_heads = k.shape[1], k.shape[2]
    groups = check_heads(n_heads, n_kv_heads)
    # query head h = kv * groups + g
    q = q.reshape(b, t, n_kv_heads, groups, d)
    scores = torch.einsum("btkgd,bskd->bkgts", q, k).float() / d**0.5
    if causal:
        query = torch.arange(t, device=q.device)[:, None] + (s - t)
        key = torch.arange(s, device=q.device)[None, :]
        scores = scores.masked_fill(key > query, float("-inf"))
    weights = torch.softmax(scores, dim=-1).to(v.dtype)
    return torch.einsum("bkgts,bskd->btkgd", weights, v).reshape(b, t, n_heads, d)


class GroupedQueryAttention(nn.Module):
    """Attention with n_kv_heads shared key/value heads, RoPE on q and k."""

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0):
        super().__init__()
        check_heads(n_heads, n_kv_heads)
        if dim % n_heads:
            raise ValueError(f"dim = {dim} is not divisible by n_heads = {n_heads}")
        self.n_heads, self.n_kv_heads, self.base = n_heads, n_kv_heads, base
        self.head_dim = dim // n_heads
        if self.head_dim % 2:
            raise ValueError(f"head_dim = dim / n_heads = {self.head_dim}: RoPE needs an even number")
        self.w_q = nn.Linear(dim, dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(dim, dim, bias=False)

    def forward(
        self, x: torch.Tensor, positions: torch.Tensor | None = None, cache: KVCache | None = None
    ) -> torch.Tensor:
        """x: [B, T, D] -> [B, T, D]."""
        b, t, _ = x.shape
        if positions is None:
            positions = torch.arange(t, device=x.device)
            if cache is not None:
                positions = positions + cache.length
        q = apply_rope(self.w_q(x).reshape(b, t, self.n_heads, -1), positions, self.base)
        k = apply_rope(self.w_k(x).reshape(b, t, self.n_kv_heads, -1), positions, self.base)
        v = self.w_v(x).reshape(b, t, self.n_kv_heads, -1)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).reshape(b, t, -1))


def kv_cache_bytes(
    batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
) -> int:
    """Bytes of K and V together."""
    one_tensor = batch * length * n_kv_heads * head_dim * bytes_per_element
    return n_layers * (one_tensor + one_tensor)
