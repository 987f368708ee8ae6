"""Mistakes in what the cache stores: where new tokens go, in which form, and which of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.cache import CacheObject, CacheSteps


@mistake("cache.cat_wrong_dim", part="cache")
class JoinedOnWrongAxis(CacheSteps):
    """Joins old and new tokens along an axis that is not time (axis 1 of [B, S, Hkv, d])."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return torch.cat((old, new), dim=2)


@mistake("cache.layout_assumed", part="cache")
class HeadsFirstAssumed(CacheSteps):
    """Takes k and v for [B, Hkv, T, d]: counts and joins tokens along axis 2."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return torch.cat((old, new), dim=2)

    def cache_length(self, c: CacheObject) -> int:
        return 0 if c.stored is None else c.stored[0].shape[2]


@mistake("cache.new_first", part="cache")
class NewFirst(CacheSteps):
    """Puts the new tokens before the old ones."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return super().joined(new, old)


@mistake("cache.keeps_last_chunk", part="cache")
class KeepsLastChunk(CacheSteps):
    """Replaces the history by the new tokens instead of adding them."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return new


@mistake("cache.overwrites_last", part="cache")
class OverwritesLast(CacheSteps):
    """Writes new tokens one slot too early, over the last token of the history."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return super().joined(old[:, :-1], new)


@mistake("cache.writes_at_zero", part="cache")
class WritesAtZero(CacheSteps):
    """Writes each chunk at slot 0 again, over the start of the history, while the length grows."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        room = torch.cat((old, torch.zeros_like(new)), dim=1)
        room[:, : new.shape[1]] = new
        return room


@mistake("cache.last_token_of_chunk", part="cache")
class LastTokenOfChunk(CacheSteps):
    """Stores only the last token of each chunk."""

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        return super().stored_next(c, new[:, -1:], which)


@mistake("cache.slot_stuck", part="cache")
class SlotStuck(CacheSteps):
    """Moves on after a chunk but not after a single token, so each new token overwrites the one before."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        result = super().cache_append(c, k, v)
        slot = c.memory.get("slot", 0)
        c.memory["slot"] = slot + k.shape[1] if k.shape[1] > 1 or slot == 0 else slot
        return result

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        if c.stored is None:
            return super().stored_next(c, new, which)
        return self.joined(c.stored[which][:, : c.memory["slot"]], new)


@mistake("cache.slot_zero_empty", part="cache")
class SlotZeroEmpty(CacheSteps):
    """Starts writing at slot 1, so a key and a value of zeros stand before the history."""

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        stored = super().stored_next(c, new, which)
        return stored if c.stored is not None else torch.cat((torch.zeros_like(new[:, :1]), stored), dim=1)


@mistake("cache.values_not_joined", part="cache")
class ValuesNotJoined(CacheSteps):
    """Keeps the history of the keys only: the values are those of the last chunk."""

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        return new.clone() if which else super().stored_next(c, new, which)


@mistake("cache.values_are_keys", part="cache")
class ValuesAreKeys(CacheSteps):
    """Stores the keys twice: the values are a copy of the keys."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k, k)


@mistake("cache.stores_swapped", part="cache")
class StoresSwapped(CacheSteps):
    """Stores the keys as values and the values as keys."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, v, k)


@mistake("cache.dtype", part="cache")
class AlwaysWide(CacheSteps):
    """Keeps keys and values in FP32 whatever dtype they come in."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k.float(), v.float())


@mistake("cache.always_bf16", part="cache")
class AlwaysBf16(CacheSteps):
    """Keeps and returns keys and values in bf16 whatever dtype they come in."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k.bfloat16(), v.bfloat16())


@mistake("cache.always_fp16", part="cache")
class AlwaysHalf(CacheSteps):
    """Keeps and returns keys and values in FP16 whatever dtype they come in."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k.half(), v.half())


@mistake("cache.rounded", part="cache")
class Rounded(CacheSteps):
    """Keeps the history in bf16 to save memory and gives it back in the dtype it came in."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k.bfloat16().to(k.dtype), v.bfloat16().to(v.dtype))


@mistake("cache.rounded_to_fp16", part="cache")
class RoundedToHalf(CacheSteps):
    """Keeps the history in FP16 to save memory and gives it back in the dtype it came in."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().cache_append(c, k.half().to(k.dtype), v.half().to(v.dtype))


class _SharedHistory(CacheSteps):
    lasting = True

    def common_history(self) -> dict[str, Any]:
        """What all caches of this program have in common."""
        common: dict[str, Any] = self.__dict__.setdefault("_history_of_all", {})
        return common


@mistake("cache.shared_by_all", part="cache")
class SharedChunks(_SharedHistory):
    """Keeps the history in one list for all caches: in the class body or as a default argument."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.common_history().setdefault("chunks", []).append((k, v))
        return self.cache_returned(c)

    def cache_keys(self, c: CacheObject) -> Any:
        return self._all(0)

    def cache_values(self, c: CacheObject) -> Any:
        return self._all(1)

    def cache_length(self, c: CacheObject) -> int:
        return sum(chunk[0].shape[1] for chunk in self.common_history().get("chunks", []))

    def _all(self, which: int) -> Any:
        chunks = self.common_history().get("chunks", [])
        return torch.cat([chunk[which] for chunk in chunks], dim=1) if chunks else None


@mistake("cache.class_tensors", part="cache")
class SharedTensors(_SharedHistory):
    """Keeps keys and values on the class instead of on the object, so all caches share them."""

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        c.stored = self.common_history().get("stored")
        result = super().cache_append(c, k, v)
        self.common_history()["stored"] = c.stored
        return result

    def cache_keys(self, c: CacheObject) -> Any:
        c.stored = self.common_history().get("stored", c.stored)
        return super().cache_keys(c)

    def cache_values(self, c: CacheObject) -> Any:
        c.stored = self.common_history().get("stored", c.stored)
        return super().cache_values(c)

    def cache_length(self, c: CacheObject) -> int:
        c.stored = self.common_history().get("stored", c.stored)
        return super().cache_length(c)
