"""SDPA with repeated heads and 0 / -inf added to the scores."""

VARIES = "assignment1/attention.py"

import torch
from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
    bias = torch.zeros(n_queries, n_keys, dtype=q.dtype, device=q.device)
    if causal:
        last = torch.arange(n_queries, device=q.device) + n_keys - n_queries
        bias[torch.arange(n_keys, device=q.device) > last[:, None]] = float("-inf")
    out = scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=head_dim**-0.5)
    return out.transpose(1, 2)
