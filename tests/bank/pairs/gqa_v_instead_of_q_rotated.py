"""Rotates K and V, and not Q."""

FAULTS = ("gqa.q_not_rotated", "gqa.v_rotated")
MUTATES = "assignment1/attention.py"

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope, grouped_query_attention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        k, v = apply_rope(k, positions, self.base), apply_rope(v, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
