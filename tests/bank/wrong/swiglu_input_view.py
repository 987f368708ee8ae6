"""Flattens the input with view, which raises an error for a transposed or sliced input."""

FAULT = "swiglu.input_view"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.no-side-effects"}

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        tokens = x.view(-1, x.shape[-1])
        return super().forward(tokens).view(x.shape)
