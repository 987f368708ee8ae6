"""Keeps the group as an axis, nothing is repeated."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    queries = q.float().unflatten(2, (n_kv_heads, groups))
    scores = torch.einsum("btkgd,bskd->bkgts", queries, k.float()) / head_dim**0.5
    if causal:
        visible = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
        scores = scores.masked_fill(visible.logical_not(), float("-inf"))
    mixed = torch.einsum("bkgts,bskd->btkgd", scores.softmax(-1), v.float())
    return mixed.flatten(2, 3).to(q.dtype)
