"""Writes the result over the input as well."""

FAULT = "swiglu.inplace_input"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.no-side-effects"}

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        out = super().forward(x)
        x.data.copy_(out.detach())
        return out
