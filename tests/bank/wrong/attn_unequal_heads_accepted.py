"""Spreads any number of key/value heads over the query heads and never raises an error."""

FAULT = "attn.unequal_heads_accepted"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.errors"}

import torch

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    heads = torch.arange(n_heads, device=q.device) * n_kv_heads // n_heads
    return plain_attention(q, k[:, :, heads], v[:, :, heads], causal)
