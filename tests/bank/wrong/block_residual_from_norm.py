"""Overwrites x by its norm, so the residual carries the normalised input."""

FAULT = "block.residual_from_norm"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.residual", "block.values"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        x = self.attn_norm(x)
        x = x + self.attn(x, positions, cache)
        x = self.ffn_norm(x)
        return x + self.ffn(x)
