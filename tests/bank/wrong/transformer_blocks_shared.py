"""Repeats one block n times, so all layers share their parameters."""

FAULT = "transformer.blocks_shared"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.parameters"}

from torch import nn

from .block import Transformer as PlainTransformer
from .block import TransformerBlock


class Transformer(PlainTransformer):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__(0, dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        block = TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        self.blocks = nn.ModuleList([block] * n_layers)
