"""Attention that reads the keys block by block and corrects its running softmax (as FlashAttention does)."""

import torch
from torch import nn

from .rope import apply_rope

BLOCK = 16


def grouped_query_attention(q, k, v, causal=True):
    n_heads, n_kv_heads = q.shape[2], k.shape[2]
    if n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads has to divide n_heads, but {n_kv_heads} does not divide {n_heads}")
    n_queries, n_keys = q.shape[1], k.shape[1]
    groups = n_heads // n_kv_heads
    # heads before time from here on, and FP32: [B, H, T or S, d]
    qh = q.float().permute(0, 2, 1, 3) * q.shape[-1] ** -0.5
    kh = k.float().permute(0, 2, 1, 3).repeat_interleave(groups, dim=1)
    vh = v.float().permute(0, 2, 1, 3).repeat_interleave(groups, dim=1)
    last_key = torch.arange(n_keys - n_queries, n_keys, device=q.device).unsqueeze(-1)

    top = torch.full_like(qh[..., :1], float("-inf"))
    total = torch.zeros_like(top)
    mixed = torch.zeros_like(qh)
    for start in range(0, n_keys, BLOCK):
        stop = min(start + BLOCK, n_keys)
        scores = qh @ kh[:, :, start:stop].transpose(-1, -2)
        if causal:
            hidden = torch.arange(start, stop, device=q.device) > last_key
            scores = scores.masked_fill(hidden, float("-inf"))
        # the maximum cancels out, so no gradient is needed through it
        new_top = torch.maximum(top, scores.detach().amax(-1, keepdim=True))
        shrink = torch.exp(top - new_top)
        weights = torch.exp(scores - new_top)
        total = total * shrink + weights.sum(-1, keepdim=True)
        mixed = mixed * shrink + weights @ vh[:, :, start:stop]
        top = new_top
    return (mixed / total).permute(0, 2, 1, 3).to(q.dtype)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads:
            raise ValueError(f"n_heads has to divide dim, but {n_heads} does not divide {dim}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_kv_heads has to divide n_heads, but {n_kv_heads} does not divide {n_heads}")
        self.base = base
        self.head_dim = dim // n_heads
        self.w_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def heads(self, flat):
        return flat.unflatten(-1, (-1, self.head_dim))

    def forward(self, x, positions=None, cache=None):
        seen = cache.length if cache is not None else 0
        if positions is None:
            positions = torch.arange(seen, seen + x.shape[1], device=x.device)
        q = apply_rope(self.heads(self.w_q(x)), positions, self.base)
        k = apply_rope(self.heads(self.w_k(x)), positions, self.base)
        v = self.heads(self.w_v(x))
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))


def kv_cache_bytes(batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element):
    return 2 * batch * length * n_layers * n_kv_heads * head_dim * bytes_per_element
