"""Mistakes in the form of RoPE's tables: their axes, their width, their order."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps

# -- axes of what rope_cos_sin returns; apply_rope puts them right ---------------------------------------------


class _Reshaped(RopeSteps):
    """rope_cos_sin returns the right numbers in another form, which apply_rope knows."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        """What becomes of one table."""
        raise NotImplementedError

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
        cos, sin = super().rope_cos_sin(positions, head_dim, base)
        return self.returned(cos, positions), self.returned(sin, positions)

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        return super().rope_cos_sin(positions, x.shape[-1], base)


@mistake("rope.cos_sin_no_head_axis", part="rope")
class NoHeadAxis(_Reshaped):
    """rope_cos_sin returns the tables without the head axis: [1, T, d/2] instead of [1, T, 1, d/2]."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return table.squeeze(2)


@mistake("rope.cos_sin_no_batch_axis", part="rope")
class NoBatchAxis(_Reshaped):
    """rope_cos_sin returns [T, 1, d/2] for positions [T], without the batch axis."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return table if positions.dim() == 2 else table[0]


@mistake("rope.cos_sin_flat", part="rope")
class Flat(_Reshaped):
    """rope_cos_sin returns [T, d/2] for positions [T], with neither batch nor head axis."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return table.squeeze(2) if positions.dim() == 2 else table[0, :, 0]


@mistake("rope.cos_sin_heads_first", part="rope")
class HeadsFirst(_Reshaped):
    """rope_cos_sin puts the head axis before the tokens: [1, 1, T, d/2] instead of [1, T, 1, d/2]."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return table.transpose(1, 2)


@mistake("rope.cos_sin_repeated", part="rope")
class TablesRepeated(_Reshaped):
    """rope_cos_sin returns tables of width d, every angle twice, instead of d/2."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return table.repeat_interleave(2, dim=-1)


@mistake("rope.cos_sin_concatenated", part="rope")
class TablesConcatenated(_Reshaped):
    """rope_cos_sin returns tables of width d, all angles twice over, instead of d/2."""

    def returned(self, table: Tensor, positions: Tensor) -> Tensor:
        return torch.cat((table, table), dim=-1)


@mistake("rope.cos_sin_swapped", part="rope")
class TablesSwapped(RopeSteps):
    """rope_cos_sin returns sin first and cos second."""

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
        cos, sin = super().rope_cos_sin(positions, head_dim, base)
        return sin, cos

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        return super().rope_cos_sin(positions, x.shape[-1], base)


@mistake("rope.head_axis_missing", part="rope")
class HeadAxisMissing(RopeSteps):
    """Makes tables without a head axis and rotates with them, so they run over other axes of x than they should."""

    def head_axis(self, angle: Tensor) -> Tensor:
        return angle
