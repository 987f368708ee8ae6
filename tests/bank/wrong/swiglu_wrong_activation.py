"""Uses GELU on the gate branch, which makes it GEGLU."""

FAULT = "swiglu.wrong_activation"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.swiglu-values"}

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        gate = nn.functional.gelu(self.w_gate(x), approximate="tanh")
        return self.w_down(gate * self.w_up(x))
