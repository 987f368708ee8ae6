"""Rotates V along with Q and K."""

FAULT = "gqa.v_rotated"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.values", "gqa.cache-values"}

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope, grouped_query_attention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q, k, v = (apply_rope(part, positions, self.base) for part in (q, k, v))
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
