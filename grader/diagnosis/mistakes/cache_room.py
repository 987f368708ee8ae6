"""Mistakes of caches that keep a buffer of a fixed length: empty slots, the end, and results that share its memory."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.cache import CacheObject, CacheSteps

# -- empty slots ------------------------------------------------------------------------------------------------


class _EmptySlots(CacheSteps):
    def slots_for(self, tokens: int) -> int:
        """How long the buffer is for this many tokens."""
        raise NotImplementedError

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        length = c.memory.get("tokens", 0)
        old = new[:, :0] if c.stored is None else c.stored[which][:, :length]
        tokens = self.joined(old, new)
        if self.slots_for(tokens.shape[1]) < tokens.shape[1]:
            raise RuntimeError("the tokens do not fit")
        empty = tokens.new_zeros(tokens.shape[0], self.slots_for(tokens.shape[1]) - tokens.shape[1], *tokens.shape[2:])
        return torch.cat((tokens, empty), dim=1)

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        result = super().cache_append(c, k, v)
        c.memory["tokens"] = c.memory.get("tokens", 0) + k.shape[1]
        return result

    def cache_length(self, c: CacheObject) -> int:
        return int(c.memory.get("tokens", 0))


@mistake("cache.zero_slots", part="cache")
class ZeroSlots(_EmptySlots):
    """Keeps whole blocks of 16 slots and hands out the empty ones too."""

    def slots_for(self, tokens: int) -> int:
        return (tokens + 15) // 16 * 16


def _whole_buffer(room: int) -> None:
    class WholeBuffer(_EmptySlots):
        def slots_for(self, tokens: int) -> int:
            return room

    WholeBuffer.__doc__ = f"Returns its whole buffer of {room} slots, also those that hold no token yet."
    mistake(f"cache.whole_buffer_{room}", part="cache")(WholeBuffer)


for _room in (128, 256, 512, 1024, 2048, 4096):
    _whole_buffer(_room)

# -- the end of the buffer --------------------------------------------------------------------------------------


@mistake("cache.overflow", part="cache")
class Overflow(CacheSteps):
    """Has a fixed number of slots (about 128) and keeps overwriting the last ones when they are full."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return super().joined(old[:, : 128 - new.shape[1]], new)

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        return super().stored_next(c, new[:, :128], which)


def _window(room: int) -> None:
    class Window(CacheSteps):
        def joined(self, old: Tensor, new: Tensor) -> Tensor:
            return super().joined(old, new)[:, -room:]

        def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
            return super().stored_next(c, new[:, -room:], which)

    Window.__doc__ = f"Forgets the oldest tokens: keeps the last {room} only."
    mistake(f"cache.window_{room}", part="cache")(Window)


for _room in (64, 128, 256, 512, 1024):
    _window(_room)


def _full(name: str, room: int, error: type[Exception]) -> None:
    class Full(CacheSteps):
        def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            if CacheSteps.cache_length(self, c) + k.shape[1] > room:
                raise error(f"only {room} tokens fit")
            return super().cache_append(c, k, v)

    kind = "refuses" if error is ValueError else "fails for"
    Full.__doc__ = f"Has a fixed number of slots, {kind} the tokens that come when they are full ({name})."
    mistake(f"cache.full_{room}_{error.__name__.lower()}", part="cache")(Full)


for _error in (RuntimeError, ValueError, IndexError):
    _full("fewer than 70 slots", 64, _error)
    _full("70 to 499 slots", 128, _error)
    _full("500 to 1100 slots", 512, _error)

# -- memory that was handed out ---------------------------------------------------------------------------------


@mistake("cache.data_replaced", part="cache")
class DataReplaced(CacheSteps):
    """Swaps the data of the tensors it has already returned, so earlier results grow as well."""

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        old.data = super().joined(old, new)
        return old


@mistake("cache.shifted_buffer", part="cache")
class ShiftedBuffer(CacheSteps):
    """Keeps the newest token at the end of a buffer and shifts it in place under earlier results."""

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        buffers, length = c.memory.setdefault("buffers", {}), super().cache_length(c)
        total = length + new.shape[1]
        if which not in buffers or buffers[which].shape[1] < total:
            room = new.new_zeros(new.shape[0], max(1024, 2 * total), *new.shape[2:])
            if c.stored is not None:
                room[:, -length:] = c.stored[which]
            buffers[which] = room
        buffer: Tensor = buffers[which]
        buffer[:, : -new.shape[1]] = buffer[:, new.shape[1] :].clone()
        buffer[:, -new.shape[1] :] = new
        return buffer[:, -total:]
