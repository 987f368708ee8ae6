"""Replaces the way weights are put into a module, so that its own stay."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.dtype": {"student_error"},
    "ffn.relu-values": {"fail"},
    "ffn.gradients": {"fail"},
    "ffn.no-side-effects": {"fail"},
}

import torch
from torch import nn

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Stubborn(nn.Parameter):
    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, value):
        pass


class ReLUFeedForward(PlainReLUFeedForward):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.w_1.weight = Stubborn(torch.zeros(hidden_dim, dim))
