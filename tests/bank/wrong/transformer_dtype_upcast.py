"""Casts to FP32 for final_norm, and returns FP32 for bf16 inputs."""

FAULT = "transformer.dtype_upcast"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.dtype"}

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):
        for index, block in enumerate(self.blocks):
            x = block(x, positions, None if caches is None else caches[index])
        return self.final_norm(x.float())
