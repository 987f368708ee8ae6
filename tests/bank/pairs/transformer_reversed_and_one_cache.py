"""Runs the blocks from last to first, and gives every layer the first cache."""

FAULTS = ("transformer.blocks_reversed", "transformer.one_cache")
MUTATES = "assignment1/block.py"

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):
        cache = caches[0] if caches else None
        for block in self.blocks[::-1]:
            x = block(x, positions, cache)
        return self.final_norm(x)
