"""Puts the activation on the up branch, and takes GELU for it."""

FAULTS = ("swiglu.swapped", "swiglu.wrong_activation")
MUTATES = "assignment1/ffn.py"

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        return self.w_down(self.w_gate(x) * nn.functional.gelu(self.w_up(x), approximate="tanh"))
