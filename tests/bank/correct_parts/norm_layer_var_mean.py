"""torch.var_mean with correction 0."""

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
        h = x.float()
        variance, mean = torch.var_mean(h, dim=-1, keepdim=True, correction=0)
        normed = (h - mean) / (variance + self.eps).sqrt()
        return torch.addcmul(self.bias.float(), self.weight.float(), normed).to(x.dtype)
