"""Casts back before weight and bias, and the FP32 parameters make a bf16 result FP32 again."""

FAULT = "norm.ln_dtype_promote"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-dtype"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        normed = (centred / torch.sqrt(variance + self.eps)).to(x.dtype)
        return normed * self.weight + self.bias
