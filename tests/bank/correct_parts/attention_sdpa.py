"""SDPA with enable_gqa and an explicit mask."""

VARIES = "assignment1/attention.py"

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    mask = None
    if causal:
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
    heads_first = [x.transpose(1, 2) for x in (q, k, v)]
    enable_gqa = groups > 1
    scale = 1.0 / head_dim**0.5
    return scaled_dot_product_attention(*heads_first, attn_mask=mask, scale=scale, enable_gqa=enable_gqa).transpose(
        1, 2
    )
