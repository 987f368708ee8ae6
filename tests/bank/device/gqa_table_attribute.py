"""Keeps the table of cos and sin as a plain attribute, which module.to does not move."""

FAULT = "gqa.table_attribute"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"device.module-to"}

import torch

from .attention import GroupedQueryAttention as PlainAttention
from .attention import grouped_query_attention
from .rope import apply_rope as rotate_anew
from .rope import rope_cos_sin, rotate_pairs

ROWS = 256


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__(dim, n_heads, n_kv_heads, base)
        cos, sin = rope_cos_sin(torch.arange(ROWS), self.head_dim, base)
        self.cos, self.sin = cos[0], sin[0]  # [ROWS, 1, d/2]

    def rotated(self, x, positions):
        if int(positions.max()) >= ROWS:
            return rotate_anew(x, positions, self.base)
        rows = positions if positions.ndim == 2 else positions.unsqueeze(0)
        return rotate_pairs(x.float(), self.cos[rows], self.sin[rows]).to(x.dtype)

    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q, k = self.rotated(q, positions), self.rotated(k, positions)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
