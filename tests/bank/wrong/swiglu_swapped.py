"""Puts SiLU on the up branch instead of the gate branch."""

FAULT = "swiglu.swapped"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.swiglu-values", "ffn.swiglu-gate"}

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        return self.w_down(self.w_gate(x) * nn.functional.silu(self.w_up(x)))
