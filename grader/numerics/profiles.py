"""Error against position, and error against frequency pair.

A profile is drawn when it tells places apart: some are right, or the worst is far worse than the best.
"""

from __future__ import annotations

import torch
from torch import Tensor

from grader.numerics.compared import Compared
from grader.pictures import MOST_PLACES, ByPair, ByPosition, Picture, number

_FAR_WORSE = 8.0


def profiles(compared: Compared, positions: Tensor | None, *, pairs: bool) -> list[Picture]:
    """The profiles that tell something.

    Args:
        positions: of the tokens, ``[T]`` or ``[B, T]``; None: their index.
        pairs: the last axis ``d`` holds frequency pairs.
    """
    if len(compared.axes) != compared.truth.dim() or not compared.axes:
        return []
    return [*by_pair(compared, interleaved=pairs), *by_position(compared, positions)]


def by_position(compared: Compared, positions: Tensor | None) -> list[ByPosition]:
    """Over the tokens of one sequence; nothing where the tensor has no axis of tokens or all tokens are alike."""
    names = [name for name in ("T", "S") if name in compared.axes]
    if compared.axes[0] != "B" or not names:
        return []
    axis = compared.axes.index(names[0]) - 1  # within one sequence
    ratio, error, allowed = (one[compared.row].movedim(axis, 0).flatten(1) for one in _parts(compared))  # [T, rest]
    if not _tells(ratio.amax(1)):
        return []
    places = torch.arange(len(ratio)) if positions is None else positions
    shown = places[compared.row] if places.dim() == 2 else places
    error, allowed = _worst(ratio, error, allowed)
    return [
        ByPosition(sequence=compared.row, positions=shown.tolist(), error=_numbers(error), allowed=_numbers(allowed))
    ]


def by_pair(compared: Compared, *, interleaved: bool) -> list[ByPair]:
    """Over the pairs; nothing where the last axis holds none or all pairs are alike.

    Args:
        interleaved: the axis ``d`` holds pairs (0, 1), (2, 3), ...; an axis ``d/2`` has one element a pair anyway.
    """
    if compared.axes[-1] == "d/2":
        width = 1
    elif compared.axes[-1] == "d" and interleaved and compared.truth.shape[-1] % 2 == 0:
        width = 2
    else:
        return []
    ratio, error, allowed = (
        one.reshape(*one.shape[:-1], -1, width).movedim(-2, 0).flatten(1) for one in _parts(compared)
    )  # [pairs, rest]
    if not _tells(ratio.amax(1)):
        return []
    error, allowed = _worst(ratio, error, allowed)
    return [ByPair(error=_numbers(error), allowed=_numbers(allowed))]


def _parts(compared: Compared) -> tuple[Tensor, Tensor, Tensor]:
    return compared.ratio, (compared.actual - compared.truth).abs(), compared.allowed


def _tells(worst: Tensor) -> bool:
    """Whether a profile of these ratios shows more than one level."""
    if not 1 < len(worst) <= MOST_PLACES:
        return False
    return bool((worst <= 1).any()) or bool(worst.max() >= _FAR_WORSE * worst.min())


def _worst(ratio: Tensor, error: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """Of every row the error and the allowance at its worst element."""
    at = ratio.argmax(1, keepdim=True)
    return error.gather(1, at)[:, 0], allowed.gather(1, at)[:, 0]


def _numbers(values: Tensor) -> list[float]:
    return [number(value) for value in values.tolist()]
