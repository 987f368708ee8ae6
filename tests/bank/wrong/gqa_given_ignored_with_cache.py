"""Uses given positions without a cache and ignores them as soon as there is one."""

FAULT = "gqa.given_ignored_with_cache"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.cache-positions"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if cache is not None:
            positions = None
        return super().choose_positions(x, positions, cache)
