"""One key at a time with a running maximum and sum."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    queries = q.float().unflatten(2, (n_kv_heads, groups)) / head_dim**0.5
    keys, values = k.float(), v.float()
    last = torch.arange(n_keys - n_queries, n_keys, device=q.device).view(-1, 1, 1, 1)
    top = torch.full_like(queries[..., :1], float("-inf"))
    total = torch.zeros_like(top)
    mixed = torch.zeros_like(queries)
    for s in range(n_keys):
        score = (queries * keys[:, s : s + 1, :, None]).sum(-1, keepdim=True)
        if causal:
            score = score.masked_fill(s > last, float("-inf"))
        new_top = torch.maximum(top, score.detach())
        old, new = torch.exp(top - new_top), torch.exp(score - new_top)
        total = total * old + new
        mixed = mixed * old + new * values[:, s : s + 1, :, None]
        top = new_top
    return (mixed / total).flatten(2, 3).to(q.dtype)
