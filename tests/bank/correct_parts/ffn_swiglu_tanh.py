"""sigmoid as (1 + tanh(z / 2)) / 2, inside in FP32."""

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
        gate, up = self.w_gate(x).float(), self.w_up(x).float()
        silu = 0.5 * gate * (1.0 + torch.tanh(0.5 * gate))
        return self.w_down((silu * up).to(x.dtype))
