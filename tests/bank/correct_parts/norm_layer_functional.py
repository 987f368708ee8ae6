"""F.layer_norm on FP32."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        weight, bias = self.weight.float(), self.bias.float()
        return nn.functional.layer_norm(x.float(), weight.shape, weight, bias, self.eps).to(x.dtype)
