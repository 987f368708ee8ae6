"""Does not hand the positions on to the blocks."""

FAULT = "transformer.positions_dropped"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.values"}

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):  # the caches know how far the sequence is
        return super().forward(x, caches=caches)
