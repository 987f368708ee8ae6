import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        normalised = F.layer_norm(x.float(), x.shape[-1:], eps=self.eps)
        return (normalised * self.weight + self.bias).to(dtype=x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        # gamma while it is still FP32, then one cast
        normalised = F.rms_norm(x.float(), x.shape[-1:], eps=self.eps)
        return (normalised * self.weight).to(dtype=x.dtype)
