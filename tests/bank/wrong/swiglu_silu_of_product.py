"""Closes the bracket too late: SiLU of the product of both branches."""

FAULT = "swiglu.silu_of_product"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.swiglu-values"}

from torch import nn

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        return self.w_down(nn.functional.silu(self.w_gate(x) * self.w_up(x)))
