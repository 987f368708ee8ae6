"""Mistakes in the length that is read from a wrong axis, or one beside the right number."""

from __future__ import annotations

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.cache import CacheObject, CacheSteps


@mistake("cache.length_of_batch", part="cache")
class LengthOfBatch(CacheSteps):
    """Takes length from axis 0, the batch (as len(keys) does)."""

    def cache_length(self, c: CacheObject) -> int:
        return 0 if c.stored is None else c.stored[0].shape[0]


@mistake("cache.length_of_heads", part="cache")
class LengthOfHeads(CacheSteps):
    """Takes length from axis 2, the heads."""

    def cache_length(self, c: CacheObject) -> int:
        return 0 if c.stored is None else c.stored[0].shape[2]


@mistake("cache.length_of_width", part="cache")
class LengthOfWidth(CacheSteps):
    """Takes length from the last axis, the width of a head."""

    def cache_length(self, c: CacheObject) -> int:
        return 0 if c.stored is None else c.stored[0].shape[3]


@mistake("cache.length_one_less", part="cache")
class LengthOneLess(CacheSteps):
    """Gives the position of the last token as length, one less than the number of tokens."""

    def cache_length(self, c: CacheObject) -> int:
        return max(super().cache_length(c) - 1, 0)


@mistake("cache.length_one_more", part="cache")
class LengthOneMore(CacheSteps):
    """Counts one token too many once there is a history."""

    def cache_length(self, c: CacheObject) -> int:
        length = super().cache_length(c)
        return length + 1 if length else 0


@mistake("cache.length_starts_at_one", part="cache")
class LengthStartsAtOne(CacheSteps):
    """Starts with length 1, so every length is one too large."""

    def cache_length(self, c: CacheObject) -> int:
        return super().cache_length(c) + 1
