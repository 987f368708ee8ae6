"""One query at a time, which sees a slice of the keys; no mask at all."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    keys = k.float().repeat_interleave(groups, dim=2)
    values = v.float().repeat_interleave(groups, dim=2)
    rows = []
    for i in range(n_queries):
        stop = n_keys - n_queries + i + 1 if causal else n_keys
        scores = torch.einsum("bhd,bshd->bhs", q[:, i].float(), keys[:, :stop]) / head_dim**0.5
        rows.append(torch.einsum("bhs,bshd->bhd", scores.softmax(-1), values[:, :stop]))
    return torch.stack(rows, dim=1).to(q.dtype)
