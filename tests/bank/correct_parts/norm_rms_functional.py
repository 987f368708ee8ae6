"""F.rms_norm on FP32."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        h = nn.functional.rms_norm(x.float(), self.weight.shape, self.weight.float(), eps=self.eps)
        return h.to(x.dtype)
