"""Normalises after the residual sum, as the original Transformer did."""

FAULT = "block.postnorm"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.residual", "block.values"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        u = self.attn_norm(x + self.attn(x, positions, cache))
        return self.ffn_norm(u + self.ffn(u))
