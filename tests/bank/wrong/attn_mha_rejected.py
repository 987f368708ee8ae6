"""Wants fewer key/value heads than query heads and turns plain multi-head attention away."""

FAULT = "attn.mha_rejected"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.mha-mqa-ends"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    if q.shape[2] <= k.shape[2]:
        raise ValueError(f"Hq must be larger than Hkv, got Hq = {q.shape[2]}, Hkv = {k.shape[2]}")
    return plain_attention(q, k, v, causal)
