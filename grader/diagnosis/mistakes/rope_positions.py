"""Mistakes with positions: which one a token turns by, and along which axis of x they run."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps

# -- which position -------------------------------------------------------------------------------------------


@mistake("rope.ignore_positions", part="rope")
class Ignored(RopeSteps):
    """Always counts from 0 and never looks at the positions it is given."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return torch.arange(x.shape[1])


@mistake("rope.positions_contiguous", part="rope")
class Contiguous(RopeSteps):
    """Takes the first position as a start and counts on from there."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions[..., :1] + torch.arange(x.shape[1])


@mistake("rope.positions_contiguous_to_last", part="rope")
class ContiguousToLast(RopeSteps):
    """Takes the last position as the end and counts up to it."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions[..., -1:] - torch.arange(x.shape[1]).flip(0)


@mistake("rope.positions_one_start", part="rope")
class OneStart(RopeSteps):
    """Takes the very first position as a start and counts on from there in every row."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions.flatten()[0] + torch.arange(x.shape[1])


@mistake("rope.positions_rebased", part="rope")
class Rebased(RopeSteps):
    """Subtracts the first position, so every sequence starts at 0."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions - positions[..., :1]


@mistake("rope.positions_sorted", part="rope")
class Sorted(RopeSteps):
    """Sorts the positions."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions.sort(dim=-1).values


@mistake("rope.positions_negated_order", part="rope")
class Backwards(RopeSteps):
    """Uses the positions from the last to the first."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions.flip(-1)


@mistake("rope.position_from_one", part="rope")
class FromOne(RopeSteps):
    """Counts positions from 1, so position 0 is rotated too."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions + 1


@mistake("rope.position_minus_one", part="rope")
class MinusOne(RopeSteps):
    """Turns every token by one position too few."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions - 1


@mistake("rope.tables_from_one", part="rope")
class TablesFromOne(RopeSteps):
    """rope_cos_sin counts positions from 1."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return super().angle(positions + 1, theta)


@mistake("rope.tables_ignore_positions", part="rope")
class TablesIgnorePositions(RopeSteps):
    """rope_cos_sin always counts from 0 and never looks at the positions it is given."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return super().angle(torch.arange(positions.shape[-1]).expand_as(positions), theta)


@mistake("rope.all_by_first", part="rope")
class AllByFirst(RopeSteps):
    """Turns every token by the first position."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions[..., :1].expand_as(positions)


# -- rows of [B, T] -------------------------------------------------------------------------------------------


@mistake("rope.batch_row0", part="rope")
class FirstRow(RopeSteps):
    """Uses the first row of [B, T] positions for the whole batch."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions[0] if positions.dim() == 2 else positions


@mistake("rope.batch_last_row", part="rope")
class LastRow(RopeSteps):
    """Uses the last row of [B, T] positions for the whole batch."""

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return positions[-1] if positions.dim() == 2 else positions


@mistake("rope.batch_as_heads", part="rope")
class RowsAsHeads(RopeSteps):
    """Broadcasts the rows of [B, T] positions over the heads instead of the batch."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return (cos.transpose(0, 2), sin.transpose(0, 2)) if positions.dim() == 2 else (cos, sin)


@mistake("rope.batch_rejected", part="rope")
class RowsRejected(RopeSteps):
    """Refuses positions [B, T] with a ValueError."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        if positions.dim() != 1:
            raise ValueError("only [T]")
        super().check_rope(x, positions)


@mistake("rope.batch_unsupported", part="rope")
class RowsUnsupported(RopeSteps):
    """Is written for positions [T] only: [B, T] end in an error of torch (torch.outer, einsum, a view)."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        if positions.shape[0] > 1:
            raise RuntimeError("only [T]")
        return super().angle(positions, theta)

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        if positions.dim() == 2:
            raise RuntimeError("only [T]")
        return super().token_positions(x, positions)


# -- which axis of x ------------------------------------------------------------------------------------------


@mistake("rope.wrong_axis_heads", part="rope")
class TablesOverHeads(RopeSteps):
    """Broadcasts the tables as for [B, H, T, d], so they run over the heads of [B, T, H, d]."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return cos.transpose(1, 2), sin.transpose(1, 2)


@mistake("rope.positions_from_heads", part="rope")
class CountsHeads(RopeSteps):
    """Counts positions along axis 2, so every head is rotated by its own index."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, torch.arange(x.shape[2]), base)
        return cos.transpose(1, 2), sin.transpose(1, 2)


@mistake("rope.wrong_axis_batch", part="rope")
class TablesOverBatch(RopeSteps):
    """Broadcasts the tables so that positions [T] run over the batch of [B, T, H, d]."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, positions, base)
        return (cos, sin) if positions.dim() == 2 else (cos.transpose(0, 1), sin.transpose(0, 1))


@mistake("rope.positions_from_batch", part="rope")
class CountsBatch(RopeSteps):
    """Counts positions along axis 0, so every sequence is rotated by its index in the batch."""

    def tables_for(self, x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
        cos, sin = super().tables_for(x, torch.arange(x.shape[0]), base)
        return cos.transpose(0, 1), sin.transpose(0, 1)
