"""1 / sqrt as exp(-0.5 log)."""

VARIES = "assignment1/norm.py"

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        h = x.float()
        mean_square = h.square().mean(dim=-1, keepdim=True)
        scale = torch.exp(-0.5 * torch.log(mean_square + self.eps))
        return (h * scale * self.weight.float()).to(x.dtype)
