"""Gives every layer the first cache."""

FAULT = "transformer.one_cache"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.caches"}

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):
        cache = None if caches is None else caches[0]
        for block in self.blocks:
            x = block(x, positions, cache)
        return self.final_norm(x)
