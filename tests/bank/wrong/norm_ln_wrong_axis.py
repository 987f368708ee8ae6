"""Takes mean and variance over all tokens of a sequence together."""

FAULT = "norm.ln_wrong_axis"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-axis"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        axes = tuple(range(1, x.ndim)) if x.ndim >= 3 else (-1,)
        centred = x_fp32 - x_fp32.mean(dim=axes, keepdim=True)
        variance = centred.pow(2).mean(dim=axes, keepdim=True)
        normed = centred / torch.sqrt(variance + self.eps)
        return (normed * self.weight.float() + self.bias.float()).to(x.dtype)
