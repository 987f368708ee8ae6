"""Mistakes in RoPE's rotation: which components pair, how a pair turns, and where it is put back."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps


class _Halves(RopeSteps):
    """Pairs are (i, i + d/2)."""

    def split_pairs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        first, second = x.chunk(2, dim=-1)
        return first, second

    def join_pairs(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.cat((a, b), dim=-1)


@mistake("rope.half_split", part="rope")
class HalfSplit(_Halves):
    """Pairs component i with i + d/2 instead of 2r with 2r + 1."""


@mistake("rope.half_split_apart", part="rope")
class HalfSplitApart(RopeSteps):
    """Splits into halves, but puts the rotated components back interleaved."""

    def split_pairs(self, x: Tensor) -> tuple[Tensor, Tensor]:
        first, second = x.chunk(2, dim=-1)
        return first, second


@mistake("rope.concat_output", part="rope")
class ConcatOutput(RopeSteps):
    """Puts all rotated first components before all second ones instead of interleaving them back."""

    def join_pairs(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.cat((a, b), dim=-1)


@mistake("rope.members_swapped", part="rope")
class MembersSwapped(RopeSteps):
    """Puts the two components of each pair back in each other's place."""

    def join_pairs(self, a: Tensor, b: Tensor) -> Tensor:
        return super().join_pairs(b, a)


@mistake("rope.partial", part="rope")
class Partial(RopeSteps):
    """Rotates only the first half of the components and leaves the others as they are."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        turned = super().turn(a, b, cos, sin)
        half = (a.shape[-1] + 1) // 2
        first, second = (
            torch.cat((new[..., :half], old[..., half:]), dim=-1) for new, old in zip(turned, (a, b), strict=True)
        )
        return first, second


@mistake("rope.identity", part="rope")
class Identity(RopeSteps):
    """Does not rotate: returns x as it came."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a, b


# -- how a pair turns -----------------------------------------------------------------------------------------


@mistake("rope.sign", part="rope")
class WrongSign(RopeSteps):
    """Rotates by -p theta: the minus sign sits in the wrong row of the matrix."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return super().turn(a, b, cos, -sin)


@mistake("rope.minus_missing", part="rope")
class MinusMissing(RopeSteps):
    """Has no minus sign: (a cos + b sin, a sin + b cos)."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos + b * sin, a * sin + b * cos


@mistake("rope.minus_twice", part="rope")
class MinusTwice(RopeSteps):
    """Has a minus sign in both rows: (a cos - b sin, b cos - a sin)."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos - b * sin, b * cos - a * sin


@mistake("rope.second_row_negated", part="rope")
class SecondRowNegated(RopeSteps):
    """Subtracts in the second row too: (a cos - b sin, a sin - b cos)."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos - b * sin, a * sin - b * cos


@mistake("rope.second_row_swapped", part="rope")
class SecondRowSwapped(RopeSteps):
    """Has cos and sin exchanged in the second row: (a cos - b sin, a cos + b sin)."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos - b * sin, a * cos + b * sin


@mistake("rope.cos_sin_exchanged", part="rope")
class CosSinExchanged(RopeSteps):
    """Rotates with cos where sin belongs and the other way round."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return super().turn(a, b, sin, cos)


@mistake("rope.only_scaled", part="rope")
class OnlyScaled(RopeSteps):
    """Multiplies both components by their own factor, (a cos, b sin), and never mixes them."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos, b * sin


@mistake("rope.overwritten_first", part="rope")
class OverwrittenFirst(RopeSteps):
    """Computes the second component from a first one that is already rotated (it was overwritten, or was a view)."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        turned, _ = super().turn(a, b, cos, sin)
        return turned, turned * sin + b * cos


@mistake("rope.twice", part="rope")
class Twice(RopeSteps):
    """Rotates by twice the angle: the rotation is applied two times."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return super().turn(*super().turn(a, b, cos, sin), cos, sin)


# -- the layout of tables of width d --------------------------------------------------------------------------


@mistake("rope.freq_layout", part="rope")
class FrequencyLayout(RopeSteps):
    """Lays the angles out as t0, t1, t0, t1 while the rotation works on adjacent pairs."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        cosines, sines = (torch.cat((table, table), dim=-1) for table in (cos, sin))
        return a * cosines[..., 0::2] - b * sines[..., 0::2], a * sines[..., 1::2] + b * cosines[..., 1::2]


@mistake("rope.half_split_layout", part="rope")
class HalfSplitLayout(_Halves):
    """Rotates halves (i, i + d/2), with angles laid out as t0, t0, t1, t1 for adjacent pairs."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        (cos_a, cos_b), (sin_a, sin_b) = (table.repeat_interleave(2, dim=-1).chunk(2, dim=-1) for table in (cos, sin))
        return a * cos_a - b * sin_a, a * sin_b + b * cos_b
