"""Leaves the default biases in the classic feed-forward layer."""

FAULT = "ffn.relu_bias"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.parameters"}

from torch import nn

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.w_1 = nn.Linear(dim, hidden_dim)
        self.w_2 = nn.Linear(hidden_dim, dim)
