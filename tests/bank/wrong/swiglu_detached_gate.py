"""Detaches the gate, so w_gate is never trained."""

FAULT = "swiglu.detached_gate"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.gradients"}

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        gate = nn.functional.silu(self.w_gate(x)).detach()
        return self.w_down(gate * self.w_up(x))
