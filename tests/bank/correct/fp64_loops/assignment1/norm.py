import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.dim = dim
        self.eps = eps

    def forward(self, x):
        x64 = x.double()
        mean = x64.sum(-1, keepdim=True) / self.dim
        diff = x64 - mean
        var = (diff * diff).sum(-1, keepdim=True) / self.dim
        y = diff / torch.sqrt(var + self.eps)
        y = y * self.weight.double() + self.bias.double()
        return y.to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.dim = dim
        self.eps = eps

    def forward(self, x):
        x64 = x.double()
        mean_sq = (x64 * x64).sum(-1, keepdim=True) / self.dim
        y = x64 / torch.sqrt(mean_sq + self.eps)
        y = y * self.weight.double()
        return y.to(x.dtype)
