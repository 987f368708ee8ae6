"""Goes through the hidden units in slices and adds up in FP32."""

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
        total = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
        for start in range(0, self.w_gate.out_features, 8):
            part = slice(start, start + 8)
            gate = nn.functional.linear(x, self.w_gate.weight[part])
            up = nn.functional.linear(x, self.w_up.weight[part])
            hidden = nn.functional.silu(gate) * up
            total = total + nn.functional.linear(hidden.float(), self.w_down.weight[:, part].float())
        return total.to(x.dtype)
