"""Detaches the residual path, so the gradient only comes through the sublayers."""

FAULT = "block.detached_residual"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.gradients"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        u = x.detach() + self.attn(self.attn_norm(x), positions, cache)
        return u + self.ffn(self.ffn_norm(u))
