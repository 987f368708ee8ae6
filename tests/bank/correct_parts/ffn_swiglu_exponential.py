"""SiLU from exp(-|z|), which cannot overflow."""

VARIES = "assignment1/ffn.py"

import torch
from torch import nn


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        gate = self.w_gate(x).float()
        e = torch.exp(-gate.abs())
        sigmoid = torch.where(gate >= 0, 1 / (1 + e), e / (1 + e))
        return self.w_down((gate * sigmoid).to(x.dtype) * self.w_up(x))
