"""One query head after the other."""

VARIES = "assignment1/attention.py"

import torch


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
    groups = n_heads // n_kv_heads
    n_queries, n_keys, head_dim = q.shape[1], k.shape[1], q.shape[3]
    visible = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device)
    if causal:
        visible = visible.tril(n_keys - n_queries)
    outputs = []
    for h in range(n_heads):
        key, value = k[:, :, h // groups].float(), v[:, :, h // groups].float()
        scores = torch.bmm(q[:, :, h].float(), key.transpose(1, 2)) / head_dim**0.5
        weights = torch.softmax(scores.masked_fill(~visible, float("-inf")), dim=-1)
        outputs.append(torch.bmm(weights, value))
    return torch.stack(outputs, dim=2).to(q.dtype)
