"""Registers the RoPE frequencies as a parameter, so the optimiser changes them."""

FAULT = "gqa.frequencies_trained"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.parameters"}

from torch import nn

from .attention import GroupedQueryAttention as PlainAttention
from .rope import rope_frequencies


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__(dim, n_heads, n_kv_heads, base)
        self.theta = nn.Parameter(rope_frequencies(self.head_dim, base))
