"""Mistakes of the attention module with its cache: what goes in, when it is rotated, and what is read."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionModule, AttentionSteps

Pair = tuple[Tensor, Tensor]


@mistake("cache.double_rotation", part="gqa")
class DoubleRotation(AttentionSteps):
    """Rotates the cached keys again before every step."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        if cache is not None and cache.stored is not None:
            history = cache.stored[0]
            cache.stored[0] = self.apply_rope(history, torch.arange(history.shape[1]), m.base)
        return super().remember(m, cache, k, v, positions)


@mistake("cache.rotated_again_on_read", part="gqa")
class RotatedAgainOnRead(AttentionSteps):
    """Stores rotated keys and rotates all of them once more whenever they are read."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        keys, values = super().remember(m, cache, k, v, positions)
        return keys if cache is None else self.apply_rope(keys, torch.arange(keys.shape[1]), m.base), values


@mistake("cache.history_rotated_again_on_read", part="gqa")
class HistoryRotatedAgainOnRead(AttentionSteps):
    """Rotates the keys of the history once more whenever they are read, and the new ones once."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        keys, values = super().remember(m, cache, k, v, positions)
        old = keys.shape[1] - k.shape[1]
        if old:
            keys = torch.cat((self.apply_rope(keys[:, :old], torch.arange(old), m.base), keys[:, old:]), dim=1)
        return keys, values


class _StoresUnrotated(AttentionSteps):
    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return k

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        keys, values = super().remember(m, cache, k, v, positions)
        return self.read_keys(m, cache, keys, positions), values

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        """Keys of the history and of the new tokens, none of them rotated, as they are attended to."""
        raise NotImplementedError


@mistake("gqa.cache_unrotated", part="gqa")
class CacheUnrotated(_StoresUnrotated):
    """Stores K before the rotation and rotates the whole history on every read."""

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        rows = positions.expand(keys.shape[0], -1)
        if cache is not None:
            earlier = cache.memory.get("positions", rows[:, :0])
            rows = cache.memory["positions"] = torch.cat((earlier, rows), dim=1)
        return self.apply_rope(keys, rows, m.base)


@mistake("gqa.cache_unrotated_counted", part="gqa")
class CacheUnrotatedCounted(_StoresUnrotated):
    """Stores K before the rotation and rotates the whole history by 0, 1, 2, ... whatever positions were given."""

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(keys, positions if cache is None else torch.arange(keys.shape[1]), m.base)


@mistake("gqa.cache_before_rotation", part="gqa")
class CacheBeforeRotation(_StoresUnrotated):
    """Appends K before the rotation, and then turns history and new keys by the positions of the new tokens."""

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(keys, positions, m.base)


@mistake("gqa.cache_never_rotated", part="gqa")
class CacheNeverRotated(_StoresUnrotated):
    """Appends K before the rotation and uses it so, so with a cache K is never rotated."""

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(keys, positions, m.base) if cache is None else keys


@mistake("gqa.cache_history_unrotated", part="gqa")
class CacheHistoryUnrotated(_StoresUnrotated):
    """Stores K before the rotation and rotates only the new keys, so the history is never rotated."""

    def read_keys(self, m: AttentionModule, cache: Any, keys: Tensor, positions: Tensor) -> Tensor:
        new = positions.shape[-1]
        return torch.cat((keys[:, :-new], self.apply_rope(keys[:, -new:], positions, m.base)), dim=1)


@mistake("cache.stores_repeated", part="gqa")
class StoresRepeated(AttentionSteps):
    """Repeats keys and values for all query heads before it stores them."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        groups = m.n_heads // m.n_kv_heads
        k, v = k.repeat_interleave(groups, dim=2), v.repeat_interleave(groups, dim=2)
        return super().remember(m, cache, k, v, positions)


@mistake("cache.stores_tiled", part="gqa")
class StoresTiled(AttentionSteps):
    """Tiles keys and values for all query heads before it stores them, in the wrong order as well."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        groups = m.n_heads // m.n_kv_heads
        return super().remember(m, cache, k.repeat(1, 1, groups, 1), v.repeat(1, 1, groups, 1), positions)


@mistake("gqa.cache_heads_first", part="gqa")
class StoresHeadsFirst(AttentionSteps):
    """Appends keys and values as [B, Hkv, T, d]; the cache takes [B, T, Hkv, d]."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        if cache is None:
            return super().remember(m, cache, k, v, positions)
        keys, values = super().remember(m, cache, k.transpose(1, 2), v.transpose(1, 2), positions)
        return keys.transpose(1, 2), values.transpose(1, 2)


@mistake("gqa.cache_ignored", part="gqa")
class CacheIgnored(AttentionSteps):
    """Never appends to the cache it is given, and attends to the new tokens only."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        return k, v


@mistake("gqa.cache_not_read", part="gqa")
class CacheNotRead(AttentionSteps):
    """Appends to the cache but attends to the new tokens only."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        super().remember(m, cache, k, v, positions)
        return k, v


@mistake("gqa.cache_read_before_append", part="gqa")
class CacheReadBeforeAppend(AttentionSteps):
    """Attends to the history as it was before the new tokens were appended, so they do not see themselves."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        if cache is None or cache.keys is None:
            return super().remember(m, cache, k, v, positions)
        before = cache.keys, cache.values
        super().remember(m, cache, k, v, positions)
        return before


@mistake("gqa.appends_twice", part="gqa")
class AppendsTwice(AttentionSteps):
    """Appends the same tokens to the cache twice."""

    def remember(self, m: AttentionModule, cache: Any, k: Tensor, v: Tensor, positions: Tensor) -> Pair:
        super().remember(m, cache, k, v, positions)
        return super().remember(m, cache, k, v, positions)


@mistake("gqa.module_cache", part="gqa")
class ModuleCache(AttentionSteps):
    """Keeps its own cache on the module and leaves the one it is given empty."""

    def attend(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        own = None if cache is None else m.memory.setdefault("cache", self.new_cache())
        return super().attend(m, x, positions, own)


@mistake("gqa.first_cache_kept", part="gqa")
class FirstCacheKept(AttentionSteps):
    """Keeps the first cache it is given and uses it for every later one."""

    def attend(self, m: AttentionModule, x: Tensor, positions: Tensor | None, cache: Any) -> Tensor:
        first = None if cache is None else m.memory.setdefault("cache", cache)
        return super().attend(m, x, positions, first)
