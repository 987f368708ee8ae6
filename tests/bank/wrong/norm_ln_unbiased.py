"""Divides by the standard deviation with D - 1 in it, torch's default."""

FAULT = "norm.ln_unbiased"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-values"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        normed = centred / torch.sqrt(x_fp32.var(dim=-1, keepdim=True) + self.eps)
        return (normed * self.weight.float() + self.bias.float()).to(x.dtype)
