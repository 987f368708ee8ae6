"""Counts positions by itself and never uses those it is given."""

FAULT = "gqa.given_ignored"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.given-positions"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None and positions.shape not in (x.shape[1:2], x.shape[:2]):
            raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
        return super().choose_positions(x, None, cache)
