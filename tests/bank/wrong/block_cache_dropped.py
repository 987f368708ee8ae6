"""Does not hand the cache on to attention."""

FAULT = "block.cache_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"block.decode"}

from .block import TransformerBlock as PlainTransformerBlock


class TransformerBlock(PlainTransformerBlock):
    def forward(self, x, positions=None, cache=None):  # the cache belongs to attention alone
        u = x + self.attn(self.attn_norm(x), positions)
        return u + self.ffn(self.ffn_norm(u))
