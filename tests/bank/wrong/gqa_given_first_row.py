"""Uses the first row of given [B, T] positions for the whole batch."""

FAULT = "gqa.given_first_row"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.given-positions"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None and positions.shape == x.shape[:2]:
            positions = positions[0]
        return super().choose_positions(x, positions, cache)
