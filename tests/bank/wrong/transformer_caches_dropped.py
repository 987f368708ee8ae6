"""Does not hand the caches on to the blocks."""

FAULT = "transformer.caches_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.caches"}

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):  # each block looks after its own history
        for block in self.blocks:
            x = block(x, positions)
        return self.final_norm(x)
