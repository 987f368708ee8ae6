"""Norms from torch's own statistics: vector_norm and var_mean."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(dim)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(dim)))

    def forward(self, x):
        h = x.float()
        # correction=0: divide by D, not by D - 1
        var, mean = torch.var_mean(h, dim=-1, keepdim=True, correction=0)
        h = (h - mean) * (var + self.eps) ** -0.5
        return torch.addcmul(self.bias.float(), h, self.weight.float()).type_as(x)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(dim)))

    def forward(self, x):
        h = x.float()
        length = torch.linalg.vector_norm(h, dim=-1, keepdim=True)
        rms = torch.sqrt(length.square() / h.shape[-1] + self.eps)
        return (self.weight * (h / rms)).type_as(x)
