"""Takes the softmax by hand in the input's dtype: exponentials and their sum are rounded to bf16."""

FAULT = "attn.low_precision_softmax"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.softmax-precision"}

import math

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
    weights = exps / exps.sum(dim=-1, keepdim=True)
    return (weights @ values).transpose(1, 2)
