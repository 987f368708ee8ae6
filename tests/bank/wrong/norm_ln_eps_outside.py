"""Adds eps to the standard deviation instead of to the variance under the root."""

FAULT = "norm.ln_eps_outside"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-eps"}

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        x_fp32 = x.float()
        centred = x_fp32 - x_fp32.mean(dim=-1, keepdim=True)
        std = centred.pow(2).mean(dim=-1, keepdim=True).sqrt()
        return (centred / (std + self.eps) * self.weight.float() + self.bias.float()).to(x.dtype)
