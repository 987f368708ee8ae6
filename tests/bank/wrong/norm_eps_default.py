"""Takes the FP32 machine epsilon for the default eps, as nn.RMSNorm does, instead of 1e-6."""

FAULT = "norm.eps_default"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-eps"}

import torch

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def __init__(self, dim, eps=None):
        super().__init__(dim, torch.finfo(torch.float32).eps if eps is None else eps)
