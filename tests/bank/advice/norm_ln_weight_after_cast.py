"""Casts LayerNorm's normalised input back before weight and bias, which rounds three times."""

FAULT = "norm.ln_weight_after_cast"
MUTATES = "assignment1/norm.py"
KILLED_BY = set()

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        normed = (centred / torch.sqrt(variance + self.eps)).to(x.dtype)
        return normed * self.weight.to(x.dtype) + self.bias.to(x.dtype)
