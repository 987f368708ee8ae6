import torch
import torch.nn as nn
import torch.nn.functional as F


def linear64(x, layer):
    return F.linear(x, layer.weight.double())


class ReLUFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        h = linear64(x.double(), self.w_1)
        h = torch.where(h > 0, h, torch.zeros_like(h))
        return linear64(h, self.w_2).to(x.dtype)


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x):
        x64 = x.double()
        gate = linear64(x64, self.w_gate)
        up = linear64(x64, self.w_up)
        gate = gate * torch.sigmoid(gate)
        return linear64(gate * up, self.w_down).to(x.dtype)


def swiglu_hidden_dim(dim, multiple_of=1):
    # first multiple that reaches 8 D / 3
    hidden = multiple_of
    while 3 * hidden < 8 * dim:
        hidden += multiple_of
    return hidden
