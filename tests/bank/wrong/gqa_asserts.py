"""Answers a wrong number of heads with an assertion instead of a ValueError."""

FAULT = "gqa.asserts"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.errors"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        assert n_heads % n_kv_heads == 0
        super().__init__(dim, n_heads, n_kv_heads, base)
