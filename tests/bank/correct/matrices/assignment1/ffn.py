"""Feed-forward layers, with the weight matrices used directly."""

import torch
from torch import nn


class ReLUFeedForward(nn.Module):
    """ReLU(x W1) W2."""

    def __init__(self, dim: int, hidden_dim: int):
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.einsum("...d,fd->...f", x, self.w_1.weight).clamp(min=0)
        return torch.einsum("...f,df->...d", hidden, self.w_2.weight)


class SwiGLU(nn.Module):
    """(SiLU(x Wg) * (x Wu)) Wd."""

    def __init__(self, dim: int, hidden_dim: int):
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = x @ self.w_gate.weight.T
        up = x @ self.w_up.weight.T
        return (gate * torch.sigmoid(gate) * up) @ self.w_down.weight.T


def swiglu_hidden_dim(dim: int, multiple_of: int = 1) -> int:
    """The multiple of multiple_of nearest to 8 D / 3, at least one of them."""
    return max(1, round(8 * dim / (3 * multiple_of))) * multiple_of
