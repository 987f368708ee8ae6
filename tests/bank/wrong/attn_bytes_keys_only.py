"""Counts the keys and forgets the values."""

FAULT = "attn.bytes_keys_only"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.cache-bytes"}


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    return n_layers * batch * length * n_kv_heads * head_dim * bytes_per_element
