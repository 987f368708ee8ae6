"""Rounds twice: the FP32 result passes through FP16 on its way to bf16."""

FAULT = "norm.through_fp16"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-precision"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        out = super().forward(x.float())
        if x.dtype != torch.float32:
            out = out.half()
        return out.to(x.dtype)
