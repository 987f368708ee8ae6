"""Does not hand the positions on to attention."""

FAULT = "block.positions_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.positions"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):  # attention counts by itself
        u = x + self.attn(self.attn_norm(x), cache=cache)
        return u + self.ffn(self.ffn_norm(u))
