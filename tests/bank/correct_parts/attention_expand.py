"""Shares heads by expand and reshape."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]

    def share(x):
        batch, length, heads, dim = x.shape
        return x.unsqueeze(3).expand(batch, length, heads, groups, dim).reshape(batch, length, heads * groups, dim)

    scores = torch.einsum("bthd,bshd->bhts", q.float(), share(k).float()) * head_dim**-0.5
    if causal:
        offset = n_keys - n_queries
        hidden = torch.full((n_queries, n_keys), float("-inf"), dtype=torch.float32, device=q.device)
        hidden = torch.triu(hidden, diagonal=offset + 1)
        scores = scores + hidden
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhts,bshd->bthd", weights, share(v).float()).to(q.dtype)
