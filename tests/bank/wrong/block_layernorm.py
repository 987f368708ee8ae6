"""Uses LayerNorm in both places where RMSNorm belongs."""

FAULT = "block.layernorm"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.parameters", "block.values"}

from .block import TransformerBlock as PlainTransformerBlock
from .norm import LayerNorm


class TransformerBlock(PlainTransformerBlock):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.attn_norm = LayerNorm(dim, eps)
        self.ffn_norm = LayerNorm(dim, eps)
