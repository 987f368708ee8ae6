"""Has no parameters, and properties with their names."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"student_error"},
    "ffn.no-side-effects": {"student_error"},
    "ffn.parameters": {"fail"},
}

import torch
from torch import nn


class ReLUFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.kept = {"w_1.weight": torch.zeros(hidden_dim, dim), "w_2.weight": torch.zeros(dim, hidden_dim)}

    def named_parameters(self, *_, **__):
        return ((name, nn.Parameter(value)) for name, value in self.kept.items())

    @property
    def w_1(self):
        return nn.Linear(6, 10, bias=False)

    def forward(self, x):
        return x
