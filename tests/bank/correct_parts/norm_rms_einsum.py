"""The sum of squares by einsum."""

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
        squares = torch.einsum("...d,...d->...", h, h)
        scale = torch.rsqrt(squares / h.shape[-1] + self.eps)
        return torch.einsum("...d,...,d->...d", h, scale, self.weight.float()).to(x.dtype)
