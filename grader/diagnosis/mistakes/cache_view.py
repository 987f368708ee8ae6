"""Mistakes in what the cache shows: what append returns, and the attributes keys, values and length."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.cache import CacheObject, CacheSteps

# -- what append returns ----------------------------------------------------------------------------------------


@mistake("cache.heads_first", part="cache")
class HeadsFirst(CacheSteps):
    """Returns keys and values as [B, Hkv, S, d]."""

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        keys, values = super().cache_returned(c)
        return keys.transpose(1, 2), values.transpose(1, 2)


@mistake("cache.heads_first_everywhere", part="cache")
class HeadsFirstEverywhere(CacheSteps):
    """Returns and shows keys and values as [B, Hkv, S, d]."""

    def cache_keys(self, c: CacheObject) -> Any:
        return None if c.stored is None else super().cache_keys(c).transpose(1, 2)

    def cache_values(self, c: CacheObject) -> Any:
        return None if c.stored is None else super().cache_values(c).transpose(1, 2)


@mistake("cache.returns_new_only", part="cache")
class ReturnsNewOnly(CacheSteps):
    """Stores the history but returns only the tokens that just came."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        super().cache_append(c, k, v)
        return k, v


@mistake("cache.returns_nothing", part="cache")
class ReturnsNothing(CacheSteps):
    """Stores the tokens and returns nothing from append."""

    def cache_returned(self, c: CacheObject) -> Any:
        return None


@mistake("cache.returns_itself", part="cache")
class ReturnsItself(CacheSteps):
    """Returns the cache object from append instead of keys and values."""

    def cache_returned(self, c: CacheObject) -> Any:
        return c


@mistake("cache.returns_swapped", part="cache")
class ReturnsSwapped(CacheSteps):
    """Returns (values, keys) instead of (keys, values)."""

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        keys, values = super().cache_returned(c)
        return values, keys


@mistake("cache.chunks_not_joined", part="cache")
class ChunksNotJoined(CacheSteps):
    """Keeps and returns a list of chunks instead of one tensor."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> Any:
        for name, new in (("keys", k), ("values", v)):
            c.memory.setdefault(name, []).append(new)
        super().cache_append(c, k, v)
        return self.cache_returned(c)

    def cache_keys(self, c: CacheObject) -> Any:
        return list(c.memory.get("keys", []))

    def cache_values(self, c: CacheObject) -> Any:
        return list(c.memory.get("values", []))


# -- the attributes keys and values -----------------------------------------------------------------------------


@mistake("cache.last_chunk_attributes", part="cache")
class LastChunkAttributes(CacheSteps):
    """Lets keys and values hold the last chunk only; the history hides in other attributes."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        super().cache_append(c, k, v)
        c.memory["last"] = (k, v)
        return self.cache_returned(c)

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        return super().cache_keys(c), super().cache_values(c)

    def cache_keys(self, c: CacheObject) -> Any:
        return c.memory.get("last", (None, None))[0]

    def cache_values(self, c: CacheObject) -> Any:
        return c.memory.get("last", (None, None))[1]


@mistake("cache.attributes_missing", part="cache")
class AttributesMissing(CacheSteps):
    """Has no attributes keys and values: the history hides under other names."""

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        return super().cache_keys(c), super().cache_values(c)

    def cache_keys(self, c: CacheObject) -> Any:
        raise AttributeError("keys")

    def cache_values(self, c: CacheObject) -> Any:
        raise AttributeError("values")


@mistake("cache.attributes_stay_none", part="cache")
class AttributesStayNone(CacheSteps):
    """Never sets keys and values: they stay None, the history hides under other names."""

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        return super().cache_keys(c), super().cache_values(c)

    def cache_keys(self, c: CacheObject) -> Any:
        return None

    def cache_values(self, c: CacheObject) -> Any:
        return None


@mistake("cache.attributes_are_methods", part="cache")
class AttributesAreMethods(CacheSteps):
    """Makes keys and values methods that must be called, instead of attributes."""

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        return super().cache_keys(c), super().cache_values(c)

    def cache_keys(self, c: CacheObject) -> Any:
        return lambda: CacheSteps.cache_keys(self, c)

    def cache_values(self, c: CacheObject) -> Any:
        return lambda: CacheSteps.cache_values(self, c)


# -- length -----------------------------------------------------------------------------------------------------


class _CallableNumber(int):
    def __call__(self) -> int:
        return int(self)


@mistake("cache.length_is_method", part="cache")
class LengthIsMethod(CacheSteps):
    """Makes length a method that must be called, instead of a number."""

    def cache_length(self, c: CacheObject) -> int:
        return _CallableNumber(super().cache_length(c))


@mistake("cache.length_is_tensor", part="cache")
class LengthIsTensor(CacheSteps):
    """Keeps length as a tensor instead of an int."""

    def cache_length(self, c: CacheObject) -> Any:
        return torch.tensor(super().cache_length(c))


class _CountsOnAppend(CacheSteps):
    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        result = super().cache_append(c, k, v)
        c.memory["counted"] = self.counted_next(c.memory.get("counted", 0), k)
        return result

    def counted_next(self, before: int, k: Tensor) -> int:
        """The count after k came."""
        raise NotImplementedError

    def cache_length(self, c: CacheObject) -> int:
        return int(c.memory.get("counted", 0))


@mistake("cache.length_counts_calls", part="cache")
class LengthCountsCalls(_CountsOnAppend):
    """Counts calls of append instead of tokens."""

    def counted_next(self, before: int, k: Tensor) -> int:
        return before + 1


@mistake("cache.length_of_last_chunk", part="cache")
class LengthOfLastChunk(_CountsOnAppend):
    """Sets length to the tokens of the last chunk instead of adding them."""

    def counted_next(self, before: int, k: Tensor) -> int:
        return k.shape[1]


@mistake("cache.length_counts_twice", part="cache")
class LengthCountsTwice(_CountsOnAppend):
    """Counts each token twice, once for its key and once for its value."""

    def counted_next(self, before: int, k: Tensor) -> int:
        return before + 2 * k.shape[1]


@mistake("cache.length_stays_zero", part="cache")
class LengthStaysZero(_CountsOnAppend):
    """Never updates length: it stays 0."""

    def counted_next(self, before: int, k: Tensor) -> int:
        return 0


@mistake("cache.length_set_once", part="cache")
class LengthSetOnce(_CountsOnAppend):
    """Sets length at the first append and never again."""

    def counted_next(self, before: int, k: Tensor) -> int:
        return before or k.shape[1]
