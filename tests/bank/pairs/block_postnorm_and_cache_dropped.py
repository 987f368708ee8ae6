"""Normalises after the residual sum, and does not hand the cache on to attention."""

FAULTS = ("block.cache_dropped", "block.postnorm")
MUTATES = "assignment1/block.py"

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        x = self.attn_norm(x + self.attn(x, positions=positions))
        return self.ffn_norm(x + self.ffn(x))
