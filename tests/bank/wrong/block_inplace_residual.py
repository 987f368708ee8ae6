"""Adds the attention output to the caller's tensor in place."""

FAULT = "block.inplace_residual"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.gradients", "block.no-side-effects"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        x += self.attn(self.attn_norm(x), positions, cache)
        return x + self.ffn(self.ffn_norm(x))
