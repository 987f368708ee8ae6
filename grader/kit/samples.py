"""Which elements of an answer a key holds: as few as tell apart what whole answers tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader.diagnosis.agreement import CLOSE, elementwise, root_mean_square_of

_A_LEAF = 2
"""Elements of a tensor that are held in any case, against mistakes that nobody has a model of."""
_EXACT = 0.98
_TRIED = 96


def places(
    answers: Tensor,
    lengths: Sequence[int],
    dtypes: Sequence[torch.dtype],
    reach: float,
    generator: torch.Generator,
    least: int,
) -> list[int]:
    """Which elements to hold, in rising order.

    Any two answers of which less than CLOSE of the elements agree loosely, or less than most tightly, differ in one of
    them.

    Args:
        answers: different answers of one form, FP64 ``[N, M]``: all elements, tensor after tensor.
        lengths: how many elements each tensor has.
        reach: see ``agreement.reach_of``.
        least: how many to hold in any case; all where there are hardly more.
    """
    chosen: set[int] = set()
    start = 0
    for length in lengths:
        share = max(_A_LEAF, -(-least // len(lengths)))
        count = length if length <= 2 * share else share
        chosen.update((start + torch.randperm(length, generator=generator)[:count]).tolist())
        start += length
    apart = [_apart(answers, lengths, dtypes, reach, tight=tight) for tight in (False, True)]
    for tight, wanted in enumerate(apart):
        _separate(answers, lengths, dtypes, reach, wanted, chosen, generator, tight=bool(tight))
    return sorted(chosen)


def differing(
    one: Tensor, others: Tensor, lengths: Sequence[int], dtypes: Sequence[torch.dtype], reach: float, *, tight: bool
) -> Tensor:
    """Which elements of each other answer differ from those of ``one [M]``, bool ``[N, M]``."""
    columns, start = [], 0
    for length, dtype in zip(lengths, dtypes, strict=True):
        leaf, rest = one[start : start + length], others[:, start : start + length]
        size = rest.nan_to_num(0.0, 0.0, 0.0).abs() + root_mean_square_of(leaf)
        relative = (4e-6 if tight else 3e-4) * reach if dtype == torch.float32 else (0.0 if tight else 2.0**-7)
        distance = (leaf.nan_to_num(0.0, 0.0, 0.0) - rest.nan_to_num(0.0, 0.0, 0.0)).abs()
        columns.append((distance > relative * size) | (torch.isfinite(leaf) != torch.isfinite(rest)))
        start += length
    return torch.cat(columns, dim=1)


def _apart(
    answers: Tensor, lengths: Sequence[int], dtypes: Sequence[torch.dtype], reach: float, *, tight: bool
) -> Tensor:
    """Which answers are told apart by all of their elements, bool ``[N, N]``."""
    rows = []
    for one in answers:
        start, least = 0, torch.ones(len(answers), dtype=torch.float64)
        for length, dtype in zip(lengths, dtypes, strict=True):
            leaf = one[start : start + length]
            found = elementwise(leaf, answers[:, start : start + length], root_mean_square_of(leaf), dtype, reach)
            least = torch.minimum(least, found.exact if tight else found.close)
            start += length
        rows.append(least < (_EXACT if tight else CLOSE))
    return torch.stack(rows)


def _separate(
    answers: Tensor,
    lengths: Sequence[int],
    dtypes: Sequence[torch.dtype],
    reach: float,
    wanted: Tensor,
    chosen: set[int],
    generator: torch.Generator,
    *,
    tight: bool,
) -> None:
    """Add elements to ``chosen`` until all pairs in ``wanted`` differ in one; each time the best of some."""
    now = sorted(chosen)
    left = wanted.clone()
    differs = [differing(one, answers, lengths, dtypes, reach, tight=tight) for one in answers]  # N times [N, M]
    for index, one in enumerate(differs):
        left[index] &= ~one[:, now].any(1)
    while bool(left.any()):
        first, second = (int(index) for index in left.nonzero()[0])
        candidates = differs[first][second].nonzero().flatten()
        candidates = candidates[torch.randperm(len(candidates), generator=generator)[:_TRIED]]
        told = torch.zeros(len(candidates), dtype=torch.long)
        for index in left.any(1).nonzero().flatten().tolist():
            told += (differs[index][:, candidates] & left[index][:, None]).sum(0)
        best = int(candidates[told.argmax()])
        chosen.add(best)
        for index, one in enumerate(differs):
            left[index] &= ~one[:, best]
