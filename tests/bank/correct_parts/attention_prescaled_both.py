"""Scales q and k by d ** -0.25 each, in FP32."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    scale = head_dim**-0.25
    queries = q.float().transpose(1, 2) * scale
    keys = (k.float() * scale).repeat_interleave(groups, dim=2).permute(0, 2, 3, 1)
    values = v.float().repeat_interleave(groups, dim=2).transpose(1, 2)
    scores = queries @ keys
    if causal:
        visible = torch.ones_like(scores[0, 0], dtype=torch.bool).tril(n_keys - n_queries)
        scores = torch.where(visible, scores, float("-inf"))
    return (torch.softmax(scores, -1) @ values).transpose(1, 2).to(q.dtype)
