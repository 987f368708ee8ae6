"""Masks only without a cache, so the tokens of a cached chunk see each other."""

FAULT = "gqa.chunk_unmasked"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.chunked"}

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
        out = grouped_query_attention(q, k, v, causal=cache is None)
        return self.w_o(out.flatten(2))
