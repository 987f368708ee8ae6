"""Does not hand its base on to attention."""

FAULT = "block.base_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.arguments"}

from .attention import GroupedQueryAttention
from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads)
