"""Flattens the input with view, which raises an error for a transposed or sliced input."""

FAULT = "norm.input_view"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.no-side-effects"}

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        tokens = x.view(-1, x.shape[-1])
        return super().forward(tokens).view(x.shape)
