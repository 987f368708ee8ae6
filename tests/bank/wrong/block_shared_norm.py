"""Makes attn_norm and ffn_norm one and the same module."""

FAULT = "block.shared_norm"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.separate-norms"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.ffn_norm = self.attn_norm
