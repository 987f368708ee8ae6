"""The key/value cache of sections 4.5 and 4.7 in steps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class CacheObject:
    """A cache whose behaviour is the program's; ``stored`` is what its steps keep."""

    def __init__(self, program: CacheSteps) -> None:
        self.program = program
        self.stored: list[Tensor] | None = None
        self.memory: dict[str, Any] = {}  # for mistakes that need more than the stored pair

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """k v ``[B, T, Hkv, d]``."""
        return self.program.cache_append(self, k, v)

    @property
    def keys(self) -> Any:
        """``[B, S, Hkv, d]``."""
        return self.program.cache_keys(self)

    @property
    def values(self) -> Any:
        """``[B, S, Hkv, d]``."""
        return self.program.cache_values(self)

    @property
    def length(self) -> int:
        """S."""
        return self.program.cache_length(self)


class CacheSteps:
    """``c`` is the CacheObject."""

    def new_cache(self) -> CacheObject:
        """Construct KVCache."""
        return CacheObject(self)

    def cache_append(self, c: CacheObject, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Store, then return all."""
        c.stored = [self.stored_next(c, k, 0), self.stored_next(c, v, 1)]
        return self.cache_returned(c)

    def stored_next(self, c: CacheObject, new: Tensor, which: int) -> Tensor:
        """What is stored of keys (0) or values (1) after ``new`` came."""
        if c.stored is None:
            return new.clone()
        return self.joined(c.stored[which], new)

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        """New tokens behind the old ones."""
        return torch.cat((old, new), dim=1)

    def cache_returned(self, c: CacheObject) -> tuple[Tensor, Tensor]:
        """What append returns."""
        return self.cache_keys(c), self.cache_values(c)

    def cache_keys(self, c: CacheObject) -> Any:
        """The keys attribute."""
        return None if c.stored is None else c.stored[0]

    def cache_values(self, c: CacheObject) -> Any:
        """The values attribute."""
        return None if c.stored is None else c.stored[1]

    def cache_length(self, c: CacheObject) -> int:
        """The length attribute."""
        return 0 if c.stored is None else c.stored[0].shape[1]
