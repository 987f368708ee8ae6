"""Divides q by sqrt(d) before the product, in the dtype of the input."""

VARIES = "assignment1/attention.py"

import math

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    q = (q / math.sqrt(head_dim)).transpose(1, 2)
    k = k.transpose(1, 2).repeat_interleave(groups, dim=1)
    v = v.transpose(1, 2).repeat_interleave(groups, dim=1)
    scores = q.matmul(k.transpose(2, 3)).float()
    if causal:
        query = torch.arange(n_keys - n_queries, n_keys, device=q.device).unsqueeze(1)
        scores = scores.masked_fill(torch.arange(n_keys, device=q.device) > query, -math.inf)
    return scores.softmax(dim=-1).matmul(v.float()).transpose(1, 2).to(q.dtype)
