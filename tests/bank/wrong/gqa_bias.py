"""Leaves the default biases in the four projections."""

FAULT = "gqa.bias"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.parameters"}

from torch import nn

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__(dim, n_heads, n_kv_heads, base)
        self.w_q = nn.Linear(dim, n_heads * self.head_dim)
        self.w_k = nn.Linear(dim, n_kv_heads * self.head_dim)
        self.w_v = nn.Linear(dim, n_kv_heads * self.head_dim)
        self.w_o = nn.Linear(n_heads * self.head_dim, dim)
