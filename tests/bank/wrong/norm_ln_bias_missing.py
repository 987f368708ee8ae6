"""Has a bias and never adds it."""

FAULT = "norm.ln_bias_missing"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-affine"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return (centred / torch.sqrt(variance + self.eps) * self.weight.float()).to(x.dtype)
