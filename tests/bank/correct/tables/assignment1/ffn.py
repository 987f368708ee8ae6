"""Position-wise networks."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class ReLUFeedForward(nn.Module):
    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(torch.relu(self.w_1(x)))


class SwiGLU(nn.Module):
    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        # one product for both branches
        gate, up = functional.linear(x, torch.cat([self.w_gate.weight, self.w_up.weight])).chunk(2, dim=-1)
        return self.w_down(functional.silu(gate) * up)


def swiglu_hidden_dim(dim: int, multiple_of: int = 1) -> int:
    """8 D / 3 rounded up."""
    return -(-8 * dim // (3 * multiple_of)) * multiple_of
