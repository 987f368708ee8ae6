"""Guesses the layout from the sizes and takes square inputs for [B, H, T, d]."""

FAULT = "attn.layout_guessed"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.axes"}

from .attention import grouped_query_attention as plain_attention


def tokens_first(x):
    return x if x.shape[1] != x.shape[2] else x.transpose(1, 2)


def grouped_query_attention(q, k, v, causal=True):
    out = plain_attention(tokens_first(q), tokens_first(k), tokens_first(v), causal)
    return tokens_first(out)
