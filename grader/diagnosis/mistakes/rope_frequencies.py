"""Mistakes in the values of RoPE's frequencies and angles: the exponent, and the unit of the angle."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps

# -- the exponent ---------------------------------------------------------------------------------------------


@mistake("rope.freq_exponent", part="rope")
class ExponentToOne(RopeSteps):
    """Spreads the exponents from 0 to 1, end included (2r / (d - 2)), instead of 2r / d."""

    def exponent(self, head_dim: int) -> Tensor:
        return torch.linspace(0, 1, head_dim // 2)


@mistake("rope.freq_index_shift", part="rope")
class IndexShift(RopeSteps):
    """Takes the paper's r - 1 although r already counts from 0, so theta_0 is not 1."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) - 2 / head_dim


@mistake("rope.freq_index_from_one", part="rope")
class IndexFromOne(RopeSteps):
    """Counts r from 1 in base^(-2r/d), so theta_0 is not 1."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) + 2 / head_dim


@mistake("rope.freq_odd_exponent", part="rope")
class OddExponent(RopeSteps):
    """Uses the odd components' index, 2r + 1, in the exponent instead of 2r."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) + 1 / head_dim


@mistake("rope.freq_inverted", part="rope")
class Inverted(RopeSteps):
    """Leaves the minus out of the exponent: base^(+2r/d)."""

    def exponent(self, head_dim: int) -> Tensor:
        return -super().exponent(head_dim)


@mistake("rope.freq_no_two", part="rope")
class NoTwo(RopeSteps):
    """Forgets the 2 in the exponent: base^(-r/d)."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) / 2


@mistake("rope.freq_doubled", part="rope")
class Doubled(RopeSteps):
    """Has the 2 in the exponent twice: 2r / (d/2) instead of 2r / d."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) * 2


@mistake("rope.freq_constant", part="rope")
class Constant(RopeSteps):
    """Gives every pair the same frequency, 1: the exponent is always 0 (a whole-number division, or r left out)."""

    def exponent(self, head_dim: int) -> Tensor:
        return super().exponent(head_dim) * 0


@mistake("rope.freq_reversed", part="rope")
class Reversed(RopeSteps):
    """Has the frequencies in the opposite order: the last pair turns fastest."""

    def theta(self, head_dim: int, base: float) -> Tensor:
        return super().theta(head_dim, base).flip(0)


@mistake("rope.freq_without_base", part="rope")
class Linear(RopeSteps):
    """Divides by base times the exponent instead of raising base to it: 1 / (base 2r/d), with 1 for r = 0."""

    def theta(self, head_dim: int, base: float) -> Tensor:
        return 1.0 / (base * self.exponent(head_dim)).clamp(min=1.0)


@mistake("rope.freq_log10", part="rope")
class Log10(RopeSteps):
    """Computes exp(-2r/d log10(base)) with the decimal logarithm instead of the natural one."""

    def theta(self, head_dim: int, base: float) -> Tensor:
        return torch.exp(-self.exponent(head_dim) * math.log10(base))


# -- the angle's unit -----------------------------------------------------------------------------------------


@mistake("rope.degrees", part="rope")
class Degrees(RopeSteps):
    """Takes the angles for degrees and converts them to radians."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return torch.deg2rad(super().angle(positions, theta))


@mistake("rope.to_degrees", part="rope")
class ToDegrees(RopeSteps):
    """Converts the angles to degrees before cos and sin, which take radians."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return torch.rad2deg(super().angle(positions, theta))


@mistake("rope.turns", part="rope")
class Turns(RopeSteps):
    """Takes the angles for whole turns: multiplies them by 2 pi."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return super().angle(positions, theta) * (2 * math.pi)


@mistake("rope.angle_divided", part="rope")
class AngleDivided(RopeSteps):
    """Divides the position by theta_r instead of multiplying."""

    def angle(self, positions: Tensor, theta: Tensor) -> Tensor:
        return positions.float()[..., None] / theta
