"""Weights as exp(score - logsumexp)."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    queries = q.float().transpose(1, 2)
    keys = k.float().transpose(1, 2).repeat_interleave(groups, dim=1)
    values = v.float().transpose(1, 2).repeat_interleave(groups, dim=1)
    scores = queries @ keys.mT * head_dim**-0.5
    if causal:
        later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).triu(n_keys - n_queries + 1)
        scores = scores.masked_fill(later, float("-inf"))
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return (weights @ values).transpose(1, 2).to(q.dtype)
