"""Flattens the keys with view, which raises an error for transposed or sliced keys."""

FAULT = "attn.input_view"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.no-side-effects"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    batch, n_keys, n_kv_heads, head_dim = k.shape
    keys = k.view(batch * n_keys, n_kv_heads * head_dim)
    return plain_attention(q, keys.view(batch, n_keys, n_kv_heads, head_dim), v, causal)
