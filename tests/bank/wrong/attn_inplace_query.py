"""Scales the caller's query in place."""

FAULT = "attn.inplace_query"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.no-side-effects"}

import math

from .attention import grouped_query_attention as plain_attention


def attention_scores(q, k):
    return q @ k.transpose(-2, -1)


def grouped_query_attention(q, k, v, causal=True):
    if q.requires_grad:
        q = q / math.sqrt(q.shape[-1])
    else:
        q /= math.sqrt(q.shape[-1])
    return plain_attention(q, k, v, causal)
