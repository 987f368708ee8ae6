"""SDPA: is_causal only for a square, no mask for one query, a mask otherwise."""

VARIES = "assignment1/attention.py"

import torch
from torch.nn import functional


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    k = torch.repeat_interleave(k, groups, dim=1, output_size=n_kv_heads * groups)
    v = torch.repeat_interleave(v, groups, dim=1, output_size=n_kv_heads * groups)
    square = causal and n_queries == n_keys
    mask = None
    if causal and not square and n_queries > 1:
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
    out = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=square, scale=1 / head_dim**0.5)
    return out.transpose(1, 2)
