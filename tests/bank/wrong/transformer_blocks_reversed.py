"""Runs the blocks from last to first."""

FAULT = "transformer.blocks_reversed"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.values"}

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):
        for i in reversed(range(len(self.blocks))):
            x = self.blocks[i](x, positions, None if caches is None else caches[i])
        return self.final_norm(x)
