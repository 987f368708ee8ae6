"""Rounds LayerNorm twice: the FP32 result passes through FP16 on its way to bf16."""

FAULT = "norm.ln_through_fp16"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.layernorm-precision"}

import torch

from .norm import LayerNorm as PlainLayerNorm


class LayerNorm(PlainLayerNorm):
    def forward(self, x):
        out = super().forward(x.float())
        if x.dtype != torch.float32:
            out = out.half()
        return out.to(x.dtype)
