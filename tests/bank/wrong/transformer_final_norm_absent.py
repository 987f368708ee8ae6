"""Ends with the last block: there is no final_norm at all."""

FAULT = "transformer.final_norm_absent"
MUTATES = "assignment1/block.py"
KILLED_BY = {"transformer.parameters", "transformer.values"}

from torch import nn

from .block import TransformerBlock


class Transformer(nn.Module):
    def __init__(self, n_layers, dim, n_heads, n_kv_heads, hidden_dim, base=10000.0, eps=1e-6):
        super().__init__()
        self.blocks = nn.ModuleList(
            TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps) for _ in range(n_layers)
        )

    def forward(self, x, positions=None, caches=None):
        for i, block in enumerate(self.blocks):
            x = block(x, positions, None if caches is None else caches[i])
        return x
