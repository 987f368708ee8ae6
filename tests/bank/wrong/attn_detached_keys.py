"""Detaches the keys, so no gradient reaches them."""

FAULT = "attn.detached_keys"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.gradients"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    return plain_attention(q, k.detach(), v, causal)
