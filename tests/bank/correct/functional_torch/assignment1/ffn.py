import math

import torch.nn.functional as F
from torch import nn


class ReLUFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        hidden = F.relu(F.linear(x, self.w_1.weight))
        return F.linear(hidden, self.w_2.weight)


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        gate = F.silu(F.linear(x, self.w_gate.weight))
        up = F.linear(x, self.w_up.weight)
        return F.linear(gate * up, self.w_down.weight)


def swiglu_hidden_dim(dim, multiple_of=1):
    """8 D / 3, up to the next multiple."""
    return math.ceil(math.ceil(8 * dim / 3) / multiple_of) * multiple_of
