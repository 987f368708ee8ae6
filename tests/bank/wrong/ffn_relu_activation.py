"""Uses GELU where ReLU belongs."""

FAULT = "ffn.relu_activation"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.relu-values"}

from torch import nn

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return self.w_2(nn.functional.gelu(self.w_1(x)))
