"""Sets masked scores to 0 instead of minus infinity, so the future still gets weight."""

FAULT = "attn.mask_by_zero"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.causal"}

from .attention import attention_scores, attention_weights, causal_mask, repeat_kv


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"query heads must be a multiple of key/value heads, got Hq = {n_heads}, Hkv = {n_kv_heads}")
    groups = n_heads // n_kv_heads
    keys, values = repeat_kv(k.float(), groups), repeat_kv(v.float(), groups)
    scores = attention_scores(q.float().transpose(1, 2), keys.transpose(1, 2))
    if causal:
        scores = scores * causal_mask(q.shape[1], k.shape[1], q.device)
    out = attention_weights(scores) @ values.transpose(1, 2)
    return out.transpose(1, 2).to(q.dtype)
