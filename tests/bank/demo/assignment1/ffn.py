"""Feed-forward layers: ReLU and SwiGLU."""

from torch import nn


class ReLUFeedForward(nn.Module):
    """ReLU(x W1) W2."""

    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        return self.w_2(nn.functional.relu(self.w_1(x)))


class SwiGLU(nn.Module):
    """(SiLU(x Wg) * (x Wu)) Wd."""

    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        return self.w_down(nn.functional.silu(self.w_gate(x)) * self.w_up(x))


def swiglu_hidden_dim(dim, multiple_of=1):
    """8 D / 3, rounded up to a multiple of multiple_of."""
    hidden_dim = 8 * dim // 3
    return (hidden_dim + multiple_of - 1) // multiple_of * multiple_of
