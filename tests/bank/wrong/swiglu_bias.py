"""Leaves the default biases in the three projections."""

FAULT = "swiglu.bias"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.parameters"}

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.w_gate = nn.Linear(dim, hidden_dim)
        self.w_up = nn.Linear(dim, hidden_dim)
        self.w_down = nn.Linear(hidden_dim, dim)
