"""Has RMSNorm's default eps, 1e-6, instead of 1e-5."""

FAULT = "norm.ln_eps_default"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-eps"}

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def __init__(self, dim, eps=1e-6):
        super().__init__(dim, eps)
