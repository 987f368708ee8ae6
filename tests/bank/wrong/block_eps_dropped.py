"""Does not hand its eps on to the two norms."""

FAULT = "block.eps_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.arguments"}

from .block import TransformerBlock as PlainTransformerBlock
from .norm import RMSNorm


class TransformerBlock(PlainTransformerBlock):
    def __init__(self, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.attn_norm = RMSNorm(dim)
        self.ffn_norm = RMSNorm(dim)
