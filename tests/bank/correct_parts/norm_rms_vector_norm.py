"""The mean square from the length of the vector."""

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
        length = torch.linalg.vector_norm(h, dim=-1, keepdim=True)
        return (h * torch.rsqrt(length**2 / x.shape[-1] + self.eps) * self.weight.float()).to(x.dtype)
