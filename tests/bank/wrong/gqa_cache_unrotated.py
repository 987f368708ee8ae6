"""Stores K before the rotation and rotates the whole history on every read."""

FAULT = "gqa.cache_unrotated"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.cache-rotated-once"}

import torch

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope, grouped_query_attention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q = apply_rope(q, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
            rows = positions.expand(x.shape[:2])  # [B, T]
            history = getattr(cache, "positions", rows[:, :0])
            positions = cache.positions = torch.cat((history, rows), dim=1)
        k = apply_rope(k, positions, self.base)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
