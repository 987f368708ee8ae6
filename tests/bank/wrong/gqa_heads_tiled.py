"""Tiles the key/value heads inside the module, so query heads read the wrong ones."""

FAULT = "gqa.heads_tiled"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.values", "gqa.pointer"}

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope, grouped_query_attention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        if cache is not None:
            k, v = cache.append(k, v)
        groups = self.n_heads // self.n_kv_heads
        k, v = k.repeat(1, 1, groups, 1), v.repeat(1, 1, groups, 1)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
