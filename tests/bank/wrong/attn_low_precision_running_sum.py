"""Adds the exponentials up one key after the other in the input's dtype, where 256 + 1 is 256."""

FAULT = "attn.low_precision_running_sum"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.softmax-precision"}

import math

import torch

from .attention import causal_mask, repeat_kv


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"query heads must be a multiple of key/value heads, got Hq = {n_heads}, Hkv = {n_kv_heads}")
    groups = n_heads // n_kv_heads
    keys, values = repeat_kv(k, groups).transpose(1, 2), repeat_kv(v, groups).transpose(1, 2)
    scores = q.transpose(1, 2) @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(~causal_mask(q.shape[1], k.shape[1], q.device), -math.inf)
    exps = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    total = torch.zeros_like(exps[..., 0])
    for key in range(k.shape[1]):
        total = total + exps[..., key]
    return (exps / total.unsqueeze(-1) @ values).transpose(1, 2)
