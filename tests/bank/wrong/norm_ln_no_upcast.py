"""Computes mean, variance and result in the input's dtype."""

FAULT = "norm.ln_no_upcast"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-precision"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        normed = centred / torch.sqrt(variance + self.eps)
        return normed * self.weight.to(x.dtype) + self.bias.to(x.dtype)
