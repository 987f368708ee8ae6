"""Softmax by hand: subtract the maximum, exp, divide by the sum after the product with V."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    queries, keys, values = q.float(), k.float(), v.float()
    keys, values = keys.repeat_interleave(groups, 2), values.repeat_interleave(groups, 2)
    scores = torch.einsum("bthd,bshd->bhts", queries, keys) / torch.tensor(head_dim, dtype=torch.float32).sqrt()
    if causal:
        visible = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
        scores = scores.masked_fill(~visible, float("-inf"))
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    total = weights.sum(dim=-1).transpose(1, 2).unsqueeze(-1)
    return (torch.einsum("bhts,bshd->bthd", weights, values) / total).to(q.dtype)
