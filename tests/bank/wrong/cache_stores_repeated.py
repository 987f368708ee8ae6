"""Repeats keys and values for all query heads before it stores them."""

FAULT = "cache.stores_repeated"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.cache-heads"}

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope, grouped_query_attention, repeat_kv


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        groups = self.n_heads // self.n_kv_heads
        k, v = repeat_kv(k, groups), repeat_kv(v, groups)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
