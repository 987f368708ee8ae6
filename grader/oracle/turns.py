"""What a wrong rotation shows: arrows, and the position by which each token was turned."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.numerics.compared import NOTHING, Compared, Inspect, Seen
from grader.numerics.locate import Facts
from grader.pictures import MOST_PAIRS, RotatedPair, Rotation, Timeline, number
from reference import rope

_MOST_POSITIONS = 1024
"""Candidates for the position that was used, besides those that were asked for."""
_MATCHES = 2.0**-6
"""Of a token's size: far above any rounding, far below what one position more changes."""
_VISIBLE = 0.05


def inspect_rope(given: Tensor, positions: Tensor, base: float) -> Inspect:
    """Compare a tensor that should be ``given [B, T, H, d]``, FP64, turned to ``positions``."""

    def inspect(compared: Compared) -> Seen:
        if compared.actual.shape != given.shape:  # the answer was cut to some tokens
            return NOTHING
        row = compared.row
        places = positions[row] if positions.dim() == 2 else positions
        timeline = _positions_used(given[row], places, base, compared)
        return Seen(told(timeline), [*timeline, *_arrows(given, places, base, compared)])

    return inspect


def told(timeline: list[Timeline]) -> Facts:
    """The same in words."""
    if not timeline:
        return {}
    words = f"{_listed(timeline[0].yours)}; right: {_listed(timeline[0].right)}"
    return {"position that each token was turned by": words}


def candidates(positions: Tensor) -> Tensor:
    """Positions that a mistake may have used: small ones, those asked for, and these as bf16 holds them."""
    furthest = min(2 * int(positions.max()) + len(positions), _MOST_POSITIONS)  # keys that are turned twice end there
    asked = positions.tolist()
    rounded = positions.to(torch.bfloat16).long().tolist()
    return torch.tensor(sorted({*range(furthest + 1), *asked, *rounded}))


def _positions_used(given: Tensor, positions: Tensor, base: float, compared: Compared) -> list[Timeline]:
    """The position by which each token of ``given [T, H, d]`` was turned; nothing when one of them fits no position."""
    tried = candidates(positions)
    if len(tried) * given.numel() > 1 << 22:
        return []
    turned = rope.apply_rope(given.expand(len(tried), *given.shape), tried[:, None].expand(-1, len(given)), base)
    distance = (turned - compared.actual[compared.row]).abs().flatten(2).amax(2)  # [candidates, T]
    size = given.square().mean((1, 2)).sqrt()  # [T]
    nearest = distance.argmin(0)
    right = positions.tolist()
    used = tried[nearest].tolist()
    fits = distance.amin(0) <= _MATCHES * size
    # a token of zeros fits any position: it counts as right
    used = [place if empty else found for place, found, empty in zip(right, used, (size == 0).tolist(), strict=True)]
    if not bool(fits.all()) or used == right:
        return []
    return [Timeline(sequence=compared.row, right=right, yours=used)]


def _arrows(given: Tensor, positions: Tensor, base: float, compared: Compared) -> list[Rotation]:
    """The worst pairs of the token and head that the message names, when the difference can be seen."""
    row, token, head, _ = compared.first
    before, right, yours = (
        one[row, token, head].reshape(-1, 2) for one in (given, compared.truth, compared.actual)
    )  # [d/2, 2]
    distance = (yours - right).abs().amax(1)  # [d/2]
    if not bool(distance.max() > _VISIBLE * right.abs().max()):
        return []
    theta = rope.rope_frequencies(given.shape[-1], base, dtype=torch.float64)
    worst = sorted(distance.argsort(descending=True, stable=True)[:MOST_PAIRS].tolist())
    position = int(positions[token])
    return [
        Rotation(
            sequence=row,
            token=token,
            head=head,
            position=position,
            pairs=[
                RotatedPair(
                    pair=pair,
                    angle=number(position * float(theta[pair])),
                    given=_point(before[pair]),
                    right=_point(right[pair]),
                    yours=_point(yours[pair]),
                )
                for pair in worst
            ],
        )
    ]


def _point(pair: Tensor) -> tuple[float, float]:
    return number(float(pair[0])), number(float(pair[1]))


def _listed(positions: list[int]) -> str:
    return ", ".join(str(position) for position in positions)
