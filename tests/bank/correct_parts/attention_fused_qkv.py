"""One product for q, k and v, one rotation for the heads of q and k together, SDPA with a mask."""

VARIES = "assignment1/attention.py"

import torch
from torch import nn

from .rope import apply_rope


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"dim must be a multiple of n_heads, got dim = {dim}, n_heads = {n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads must be a multiple of n_kv_heads, got {n_heads} and {n_kv_heads}")
        self.counts = [n_heads, n_kv_heads, n_kv_heads]
        self.base = base
        self.head_dim = dim // n_heads
        self.w_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x, positions=None, cache=None):
        if positions is None:
            positions = torch.arange(x.shape[1], device=x.device)
            if cache is not None:
                positions = positions + cache.length
        weight = torch.cat((self.w_q.weight, self.w_k.weight, self.w_v.weight))
        heads = nn.functional.linear(x, weight).unflatten(-1, (-1, self.head_dim))
        q, k, v = heads.split(self.counts, dim=2)
        q, k = apply_rope(torch.cat((q, k), dim=2), positions, self.base).split(self.counts[:2], dim=2)
        if cache is not None:
            k, v = cache.append(k, v)
        visible = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=x.device).tril(k.shape[1] - q.shape[1])
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        out = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=True)
        return self.w_o(out.transpose(1, 2).flatten(2))
