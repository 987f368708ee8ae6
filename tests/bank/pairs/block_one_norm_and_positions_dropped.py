"""Uses attn_norm in both halves, and does not hand the positions on to attention."""

FAULTS = ("block.attn_norm_twice", "block.positions_dropped")
MUTATES = "assignment1/block.py"

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        x = x + self.attn(self.attn_norm(x), cache=cache)
        return x + self.ffn(self.attn_norm(x))
