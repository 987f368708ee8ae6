"""Divides the variance of LayerNorm by D - 1, and never adds its bias."""

FAULTS = ("norm.ln_bias_missing", "norm.ln_unbiased")
MUTATES = "assignment1/norm.py"

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        wide = x.float()
        variance, mean = torch.var_mean(wide, dim=-1, keepdim=True)
        return ((wide - mean) / torch.sqrt(variance + self.eps) * self.weight.float()).to(x.dtype)
