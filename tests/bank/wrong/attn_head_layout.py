"""Reshapes [B, H, T, d] to [B, T, H, d] without transposing back."""

FAULT = "attn.head_layout"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.values"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    out = plain_attention(q, k, v, causal)
    heads_first = out.transpose(1, 2)
    return heads_first.reshape(q.shape)
