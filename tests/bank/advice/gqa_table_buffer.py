"""Keeps a table of cos and sin in buffers, which module.to(torch.bfloat16) rounds."""

FAULT = "gqa.table_buffer"
MUTATES = "assignment1/attention.py"
KILLED_BY = set()

import torch

from .attention import GroupedQueryAttention as PlainAttention
from .attention import grouped_query_attention
from .rope import check_positions, rope_cos_sin, rotate_pairs


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0, max_positions=131073):
        super().__init__(dim, n_heads, n_kv_heads, base)
        cos, sin = rope_cos_sin(torch.arange(max_positions), self.head_dim, base)
        self.register_buffer("cos", cos[0], persistent=False)  # [max_positions, 1, d/2]
        self.register_buffer("sin", sin[0], persistent=False)

    def rotate(self, x, positions):
        check_positions(x, positions)
        return rotate_pairs(x.float(), self.cos[positions], self.sin[positions]).to(x.dtype)

    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q, k = self.rotate(q, positions), self.rotate(k, positions)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
