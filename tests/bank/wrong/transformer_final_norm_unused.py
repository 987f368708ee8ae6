"""Has final_norm and never applies it."""

FAULT = "transformer.final_norm_unused"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.values"}

from torch import nn

from .block import Transformer as PlainTransformer


class Transformer(PlainTransformer):
    def forward(self, x, positions=None, caches=None):
        final_norm, self.final_norm = self.final_norm, nn.Identity()
        out = super().forward(x, positions, caches)
        self.final_norm = final_norm
        return out
