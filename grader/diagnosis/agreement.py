"""How well two programs' answers agree, in numbers that the search decides by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.wire import tensors
from grader.wire.codec import RawTensor

LOOSE, TIGHT = 3e-4, 4e-6
"""Relative distance at which two FP32 results are the same mistake, and the same arithmetic."""

CLOSE = 0.97
"""Share of close elements from which on two programs give the same answer."""

WHOLLY = 0.999
"""Share of close elements from which on nothing is left that another mistake could hide in."""

HOPELESS = 0.5
"""Share of close elements below which further answers are not looked at."""


@dataclass(frozen=True)
class Agreement:
    """How well a model's answers agree with the submission's.

    Attributes:
        close: smallest share of elements, over all answers, that agree loosely; 0 where kinds or shapes differ.
        exact: mean share of elements that agree tightly (in bf16: bit for bit).
        distance: largest root mean square, over all answers, of the relative difference.
    """

    close: float
    exact: float
    distance: float = 0.0


NOTHING = Agreement(0.0, 0.0, 1.0)


def same(equal: bool) -> Agreement:
    """Of answers that are equal or not, with nothing in between."""
    return Agreement(1.0, 1.0) if equal else NOTHING


def together(parts: Sequence[Agreement]) -> Agreement:
    """Of the parts of one answer."""
    if not parts:
        return same(True)
    exact = sum(part.exact for part in parts) / len(parts)
    return Agreement(min(part.close for part in parts), exact, max(part.distance for part in parts))


def whole(found: Sequence[Agreement]) -> Agreement:
    """Of all answers of a check."""
    if not found or min(one.close for one in found) < HOPELESS:
        return NOTHING
    return together(found)


@dataclass(frozen=True)
class Rows:
    """``Agreement`` of one tensor with each of several others: FP64 ``[N]``."""

    close: Tensor
    exact: Tensor
    distance: Tensor

    def row(self, index: int) -> Agreement:
        """Of one of them."""
        return Agreement(float(self.close[index]), float(self.exact[index]), float(self.distance[index]))


def elementwise(theirs: Tensor, ours: Tensor, root_mean_square: Tensor, dtype: torch.dtype, reach: float) -> Rows:
    """How well a tensor, or a sample of one, agrees with each row of ``ours``.

    Args:
        theirs: FP64 ``[M]``; may hold NaN and infinity.
        ours: FP64 ``[N, M]``.
        root_mean_square: of the whole tensor; differences are measured by it and by the element itself.
        dtype: of the answers.
        reach: see ``reach_of``.
    """
    same_finite = (torch.isfinite(theirs) == torch.isfinite(ours)).all(-1)
    one, other = theirs.nan_to_num(0.0, 0.0, 0.0), ours.nan_to_num(0.0, 0.0, 0.0)
    size, distance = other.abs() + root_mean_square, (one - other).abs()
    if dtype == torch.float32:
        loose, tight = LOOSE * reach * size, TIGHT * reach * size
    else:
        loose, tight = 2.0**-7 * size, torch.zeros_like(size)
    off = (distance / size.clamp_min(1e-300)).square().mean(-1).sqrt()
    close, exact = ((distance <= allowed).double().mean(-1) for allowed in (loose, tight))
    return Rows(close * same_finite, exact * same_finite, torch.where(same_finite, off, 1.0))


def root_mean_square_of(tensor: Tensor) -> Tensor:
    """The root mean square of what is finite in ``tensor``."""
    return tensor.nan_to_num(0.0, 0.0, 0.0).square().mean().sqrt()


def reach_of(request: Mapping[str, Any]) -> float:
    """By how much FP32 angles may differ between two legal programs: it grows with the largest position."""
    positions = request.get("arguments", {}).get("positions")
    if not isinstance(positions, RawTensor) or not positions.data:
        return 1.0
    return max(1.0, float(tensors.from_raw(positions).abs().max()) / 300)
