"""Masks the future even with causal=False."""

FAULT = "attn.always_causal"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.non-causal"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):  # a language model never looks ahead
    return plain_attention(q, k, v)
