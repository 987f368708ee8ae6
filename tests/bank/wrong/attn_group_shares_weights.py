"""Averages the queries of a group, so heads that share keys also share their weights."""

FAULT = "attn.group_shares_weights"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.grouped-equals-repeated", "attention.mha-mqa-ends"}

from .attention import grouped_query_attention as plain_attention
from .attention import repeat_kv


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"query heads must be a multiple of key/value heads, got Hq = {n_heads}, Hkv = {n_kv_heads}")
    groups = n_heads // n_kv_heads
    mean_q = q.float().unflatten(2, (n_kv_heads, groups)).mean(dim=3)  # [B, T, Hkv, d]
    return plain_attention(repeat_kv(mean_q, groups), k, v, causal).to(q.dtype)
