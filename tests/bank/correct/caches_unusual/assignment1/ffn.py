from __future__ import annotations

import torch
from torch import nn

from .helpers import sigmoid_silu


class ReLUFeedForward(nn.Module):
    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.w_1(x)
        return self.w_2(torch.relu_(hidden))


class SwiGLU(nn.Module):
    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w_down(sigmoid_silu(self.w_gate(x)) * self.w_up(x))


def swiglu_hidden_dim(dim: int, multiple_of: int = 1) -> int:
    target = round(8 * dim / 3)
    # the nearest multiple; a tie goes up
    return max(multiple_of, (target + multiple_of // 2) // multiple_of * multiple_of)
