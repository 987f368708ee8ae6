from torch import nn


class ReLUFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(dim, hidden_dim, False), nn.Linear(hidden_dim, dim, False)

    def forward(self, x):
        return self.w_2(self.w_1(x).relu())


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w_gate, self.w_up = nn.Linear(dim, hidden_dim, False), nn.Linear(dim, hidden_dim, False)
        self.w_down = nn.Linear(hidden_dim, dim, False)

    def forward(self, x):
        return self.w_down(nn.functional.silu(self.w_gate(x)) * self.w_up(x))


def swiglu_hidden_dim(dim, multiple_of=1):
    return -(-8 * dim // 3 // multiple_of) * multiple_of
