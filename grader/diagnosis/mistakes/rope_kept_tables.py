"""Mistakes of RoPE tables that are made once: how far they reach, and which later calls are given them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps

# -- how far a table reaches ----------------------------------------------------------------------------------


class _Clamped(RopeSteps):
    rows = 0

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions.clamp(max=self.rows - 1)


@mistake("rope.table_too_short", part="rope")
class Clamped2048(_Clamped):
    """Looks the angles up in a table of 2048 rows and takes the last row for everything beyond."""

    rows = 2048


@mistake("rope.table_of_512", part="rope")
class Clamped512(_Clamped):
    """Looks the angles up in a table of 512 rows and takes the last row for everything beyond."""

    rows = 512


@mistake("rope.table_of_1024", part="rope")
class Clamped1024(_Clamped):
    """Looks the angles up in a table of 1024 rows and takes the last row for everything beyond."""

    rows = 1024


@mistake("rope.table_of_4096", part="rope")
class Clamped4096(_Clamped):
    """Looks the angles up in a table of 4096 rows and takes the last row for everything beyond."""

    rows = 4096


@mistake("rope.table_of_65536", part="rope")
class Clamped65536(_Clamped):
    """Looks the angles up in a table of 65536 rows and takes the last row for everything beyond."""

    rows = 65536


@mistake("rope.table_wraps", part="rope")
class Wraps(RopeSteps):
    """Takes positions modulo 2048, so they start again at 0."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions % 2048


class _Ends(RopeSteps):
    rows = 0

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        if int(positions.max()) >= self.rows:
            raise IndexError("beyond the table")
        return positions


@mistake("rope.table_ends_early", part="rope")
class EndsEarly(_Ends):
    """Looks the angles up in a table of some thousand rows (1024 to 4090) and raises IndexError beyond it."""

    rows = 2048


@mistake("rope.table_ends", part="rope")
class Ends(_Ends):
    """Looks the angles up in a table of many thousand rows (4096 to 65536) and raises IndexError beyond it."""

    rows = 32768


@mistake("rope.table_ends_at_131072", part="rope")
class EndsBeforeLast(_Ends):
    """Looks the angles up in a table of 131072 rows, which has none for position 131072."""

    rows = 131072


# -- tables kept from earlier calls ---------------------------------------------------------------------------


class _Keeps(RopeSteps):
    """Keeps tables between calls; two calls with the same ``key`` get the same ones."""

    lasting = True  # as tables in a student's module do, they outlive a check

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        """What a kept table is found by."""
        raise NotImplementedError

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        kept: dict[Hashable, Any] = self.__dict__.setdefault("kept_tables", {})
        key = self.key(x, positions, base)
        if key not in kept:
            kept[key] = super().tables_for(x, positions, base)
        cos, sin = kept[key]
        return cos, sin


def _exact(positions: Tensor) -> Hashable:
    return tuple(positions.shape), tuple(positions.flatten().tolist())


@mistake("rope.stale_cache_key", part="rope")
class KeptByLength(_Keeps):
    """Keeps its tables by length and head width only, so other positions or another base get the old ones."""

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return tuple(positions.shape), x.shape[-1]


@mistake("rope.stale_positions", part="rope")
class KeptWithoutPositions(_Keeps):
    """Keeps its tables by length, head width and base, so other positions get the old ones."""

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return tuple(positions.shape), x.shape[-1], base


@mistake("rope.stale_base", part="rope")
class KeptWithoutBase(_Keeps):
    """Keeps its tables by positions and head width, so a second base gets the first one's tables."""

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return _exact(positions), x.shape[-1]


@mistake("rope.stale_head_dim", part="rope")
class KeptWithoutWidth(_Keeps):
    """Keeps its tables by positions and base, so a second head width gets the first one's tables."""

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return _exact(positions), base


@mistake("rope.stale_first", part="rope")
class KeptForever(_Keeps):
    """Makes its tables once, at the first call, and uses them for all later calls."""

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return ()


class _InFirstDtype(_Keeps):
    """Keeps tables in the dtype of the call that made them."""

    rounds_at_once = False

    def key(self, x: Tensor, positions: Tensor, base: float) -> Hashable:
        return _exact(positions), x.shape[-1], base

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        first: dict[Hashable, torch.dtype] = self.__dict__.setdefault("kept_dtypes", {})
        key = self.key(x, positions, base)
        kept = key in first
        dtype = first.setdefault(key, x.dtype)
        cos, sin = super().tables_for(x, positions, base)
        return (cos.to(dtype), sin.to(dtype)) if kept or self.rounds_at_once else (cos, sin)


@mistake("rope.poisoned_tables", part="rope")
class KeptInFirstDtype(_InFirstDtype):
    """Keeps its tables in the dtype of the first call, so a bf16 call spoils later FP32 calls."""


@mistake("rope.poisoned_at_once", part="rope")
class RoundedInFirstDtype(_InFirstDtype):
    """Rounds its tables to the dtype of the first call, uses them so, and keeps them for later calls."""

    rounds_at_once = True
