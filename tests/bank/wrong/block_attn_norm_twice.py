"""Uses attn_norm before the feed-forward layer too, and never ffn_norm."""

FAULT = "block.attn_norm_twice"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.separate-norms"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):
        u = x + self.attn(self.attn_norm(x), positions, cache)
        return u + self.ffn(self.attn_norm(u))
