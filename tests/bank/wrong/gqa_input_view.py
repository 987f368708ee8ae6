"""Flattens the input with view, which raises an error for a transposed or sliced input."""

FAULT = "gqa.input_view"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.no-side-effects"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def project(self, x):
        batch, time, dim = x.shape
        tokens = x.view(batch * time, dim)
        return super().project(tokens.view(batch, time, dim))
