"""Scores, softmax and values in FP64."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    queries = q.double().transpose(1, 2)
    keys = k.double().transpose(1, 2).repeat_interleave(groups, dim=1)
    values = v.double().transpose(1, 2).repeat_interleave(groups, dim=1)
    scores = queries @ keys.transpose(2, 3) / head_dim**0.5
    if causal:
        visible = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
        scores = scores.masked_fill(~visible, float("-inf"))
    return (scores.softmax(-1) @ values).transpose(1, 2).to(q.dtype)
