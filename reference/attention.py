"""Sections 4.3 and 4.7: attention whose query heads share key/value heads, alone and as a layer with RoPE and cache."""

import math

import torch
from torch import Tensor, nn

from reference.kv_cache import KVCache
from reference.linear import project
from reference.rope import apply_rope


def causal_mask(n_queries: int, n_keys: int, *, device: torch.device | None = None) -> Tensor:
    """Say which keys each query must not see.

    The queries are the last T of the S tokens, so the triangle stands in the bottom right corner: query i sees the
    keys 0 .. S - T + i. Without a history T = S, and it is the usual triangle.

    Args:
        n_queries: T.
        n_keys: S.
        device: Where the result lives.

    Returns:
        [T, S] bool, True where key j comes after query i.

    Raises:
        ValueError: When there are more queries than keys: the first ones would see nothing.
    """
    if n_queries > n_keys:
        raise ValueError(f"q must have at most as many tokens as k when causal, got T = {n_queries} and S = {n_keys}")
    query = torch.arange(n_keys - n_queries, n_keys, device=device)  # [T], as places among the S tokens
    key = torch.arange(n_keys, device=device)  # [S]
    return key[None, :] > query[:, None]


def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
    """Attend with Hq query heads over Hkv key/value heads: softmax(q k^T / sqrt(d)) v (4.3, 4.7).

    Query head h reads key/value head h // G, where G = Hq / Hkv. G = 1 is multi-head attention (MHA) and Hkv = 1
    multi-query attention (MQA). Each query head still has its own attention weights.

    Args:
        q: [B, T, Hq, d], any floating dtype.
        k: [B, S, Hkv, d].
        v: [B, S, Hkv, d].
        causal: When True, query i sees keys 0 .. S - T + i; else all.

    Returns:
        [B, T, Hq, d] in q's dtype; computed in FP32, or in FP64 for an FP64 q.

    Raises:
        ValueError: When shapes do not fit, Hkv does not divide Hq, or T > S with causal.
    """
    _check_attention_shapes(q, k, v)
    batch, tokens, n_heads, head_dim = q.shape
    seen, n_kv_heads = k.shape[1:3]
    groups = n_heads // n_kv_heads
    compute = torch.promote_types(q.dtype, torch.float32)

    # The G query heads of a group lie under each other as G * T rows, so that one product with the group's only key
    # head serves them all. No key or value is ever repeated in memory.
    rows = q.to(compute).reshape(batch, tokens, n_kv_heads, groups, head_dim)  # [B, T, Hkv, G, d]
    rows = rows.permute(0, 2, 3, 1, 4).flatten(2, 3)  # [B, Hkv, G * T, d]
    keys = k.to(compute).permute(0, 2, 3, 1)  # [B, Hkv, d, S]
    values = v.to(compute).permute(0, 2, 1, 3)  # [B, Hkv, S, d]

    scores = torch.matmul(rows, keys) / math.sqrt(head_dim)  # [B, Hkv, G * T, S]
    scores = scores.reshape(batch, n_kv_heads, groups, tokens, seen)  # [B, Hkv, G, T, S]
    if causal:
        scores = scores.masked_fill(causal_mask(tokens, seen, device=q.device), -math.inf)
    weights = torch.softmax(scores, dim=-1)  # [B, Hkv, G, T, S], each row sums to 1

    mixed = torch.matmul(weights.flatten(2, 3), values)  # [B, Hkv, G * T, d]
    mixed = mixed.reshape(batch, n_kv_heads, groups, tokens, head_dim).permute(0, 3, 1, 2, 4)  # [B, T, Hkv, G, d]
    return mixed.flatten(2, 3).to(q.dtype)  # [B, T, Hq, d]


class GroupedQueryAttention(nn.Module):
    """The attention layer: project, turn q and k, remember k and v, attend, project back (4.5, 4.7).

    Parameters, all without bias: `w_q` D -> Hq d, `w_k` and `w_v` D -> Hkv d, `w_o` Hq d -> D.

    Raises:
        ValueError: When a size is not positive, n_heads does not divide dim, n_kv_heads does not divide n_heads, or
            the head width dim / n_heads is odd.
    """

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> None:
        super().__init__()
        if min(dim, n_heads, n_kv_heads) <= 0:
            raise ValueError(f"dim, n_heads and n_kv_heads must be positive, got {dim}, {n_heads} and {n_kv_heads}")
        if dim % n_heads != 0:
            raise ValueError(f"dim must be divisible by n_heads, got dim = {dim} and n_heads = {n_heads}")
        _check_groups(n_heads, n_kv_heads)
        head_dim = dim // n_heads
        if head_dim % 2 != 0:
            raise ValueError(
                f"head_dim = dim / n_heads must be even, because RoPE turns features in pairs; "
                f"got {head_dim} from dim = {dim} and n_heads = {n_heads}"
            )
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.base = base
        self.w_q = nn.Linear(dim, n_heads * head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * head_dim, dim, bias=False)

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """Mix the tokens of x with each other and with the history in the cache.

        Args:
            x: [B, T, D].
            positions: Integers, [T] or [B, T]; None continues after the history, at cache.length (0 without cache).
            cache: The history of this layer; gets the T new tokens.

        Returns:
            [B, T, D] in x's dtype.

        Raises:
            ValueError: When x is not [B, T, D] or positions do not fit it.
        """
        if x.dim() != 3:
            raise ValueError(f"x must be [B, T, D], got shape {list(x.shape)}")
        batch, tokens, _ = x.shape
        if positions is None:
            start = 0 if cache is None else cache.length
            positions = torch.arange(start, start + tokens, device=x.device)  # [T]

        q = project(x, self.w_q.weight).reshape(batch, tokens, self.n_heads, self.head_dim)  # [B, T, Hq, d]
        k = project(x, self.w_k.weight).reshape(batch, tokens, self.n_kv_heads, self.head_dim)  # [B, T, Hkv, d]
        v = project(x, self.w_v.weight).reshape(batch, tokens, self.n_kv_heads, self.head_dim)  # [B, T, Hkv, d]
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        if cache is not None:
            # After the turn: a key keeps its angle for good, and is never turned again.
            k, v = cache.append(k, v)  # [B, S, Hkv, d]
        mixed = grouped_query_attention(q, k, v, causal=True)  # [B, T, Hq, d]
        return project(mixed.flatten(2, 3), self.w_o.weight)  # [B, T, D]


def kv_cache_bytes(
    batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
) -> int:
    """Give the size of all layers' keys and values together (4.7).

    Query heads do not appear: they read the cache, but are not in it.

    Args:
        batch: B.
        length: S.
        n_layers: Layers, each with a cache of its own.
        n_kv_heads: Hkv.
        head_dim: d.
        bytes_per_element: 2 for bf16, 4 for FP32.

    Returns:
        2 * n_layers * B * S * Hkv * d * bytes_per_element; the 2 is for keys and values.
    """
    return 2 * n_layers * batch * length * n_kv_heads * head_dim * bytes_per_element


def _check_attention_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    if q.dim() != 4:
        raise ValueError(f"q must be [B, T, Hq, d], got shape {list(q.shape)}")
    if k.dim() != 4 or k.shape != v.shape:
        raise ValueError(f"k and v must both be [B, S, Hkv, d], got k {list(k.shape)} and v {list(v.shape)}")
    if (q.shape[0], q.shape[3]) != (k.shape[0], k.shape[3]):
        raise ValueError(f"q and k must have the same B and d, got q {list(q.shape)} and k {list(k.shape)}")
    _check_groups(q.shape[2], k.shape[2])


def _check_groups(n_heads: int, n_kv_heads: int) -> None:
    if n_kv_heads <= 0 or n_heads % n_kv_heads != 0:
        raise ValueError(
            f"n_heads must be divisible by n_kv_heads, got n_heads = {n_heads} and n_kv_heads = {n_kv_heads}"
        )
