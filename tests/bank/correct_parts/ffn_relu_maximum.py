"""ReLU as a maximum with zero, weights used directly."""

VARIES = "assignment1/ffn.py"

import torch
from torch import nn


class ReLUFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        hidden = x @ self.w_1.weight.t()
        hidden = torch.maximum(hidden, torch.zeros_like(hidden))
        return hidden @ self.w_2.weight.t()
