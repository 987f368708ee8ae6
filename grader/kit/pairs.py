"""What programs with two mistakes at once answer, where neither of the two alone tells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.catalogue import all_checks
from grader.diagnosis.agreement import root_mean_square_of
from grader.key.reduced import Reduced
from grader.key.signatures import composed
from grader.kit.mistakes import WHOLES, Answers, Findings, Form, Models
from grader.transcript import Transcript

_FINE, _COARSE = 6, 4
"""Elements that are held of two mistakes. Checks of wholes take long and show most mistakes: of these a few cases are
enough, and fewer elements of each, coarsely; and of the mistakes those that some check is there for, with all that
answer as they do here. The others are variants of them."""


_SAME = 1e-6
"""Relative distance of answers that are the same but for the order of additions."""


@dataclass(frozen=True)
class PairFindings:
    """See ``tables.RecordedPairs``; ``held`` says for every two classes whether they are in ``values``."""

    slots: list[int]
    probes: list[tuple[int, int]]
    held: list[bool]
    forms: list[list[int]]
    form_of: list[int]
    values: Tensor


def pairs(models: Models, found: Findings) -> PairFindings | None:
    """Every two classes of a check; None where nothing needs to be held."""
    whole = found.record.own_part in WHOLES
    cases = _cases(found) if whole else list(range(len(found.cases)))
    slots = [slot for case in cases for slot in _slots(found, case)]
    transcripts = [found.record.transcripts[case] for case in cases]
    ids = {id for info in all_checks().values() for id in info.catches}
    caught = {number for id, number in zip(found.shown, found.class_of, strict=True) if id in ids}
    first_of = [_representative(found, number, ids) for number in range(max(found.class_of, default=-1) + 1)]
    probes = _probes(found, slots, _COARSE * len(cases) if whole else _FINE)
    held, kept, form_of, forms = [], [], [], dict[tuple[int, ...], int]()
    for one, other in itertools.combinations(range(len(first_of)), 2):
        rows = first_of[one], first_of[other]
        answer = _together(models, found, transcripts, slots, rows, caught if whole else None)
        held.append(answer is not None)
        if answer is not None:
            kept.append(_values(answer, slots, probes, found))
            digests = tuple(0 if each is None else each.form for each in answer)
            form_of.append(forms.setdefault(digests, len(forms)))
    if not kept:
        return None
    values = torch.stack(kept)
    return PairFindings(slots, probes, held, [list(one) for one in forms], form_of, values.half() if whole else values)


def _representative(found: Findings, number: int, ids: set[str]) -> int:
    """The row of a class that stands for it: one that some check is there for, where there is one."""
    rows = [row for row, other in enumerate(found.class_of) if other == number]
    return next((row for row in rows if found.shown[row] in ids), rows[0])


def _together(
    models: Models,
    found: Findings,
    transcripts: Sequence[Transcript],
    slots: Sequence[int],
    rows: tuple[int, int],
    caught: set[int] | None,
) -> Answers | None:
    """What both answer together; None where that follows from what each of them answers."""
    loud = [row for row in rows if found.class_of[row] in found.loud]
    if caught is not None and (not loud or not all(found.class_of[row] in caught for row in rows)):
        return None
    first, second = (found.numbers[row] for row in rows)
    expected = [_expected(first[slot], second[slot], found.slots[slot]) for slot in slots]
    if None not in expected and caught is not None:
        return None
    mistakes = [models.known[found.shown[row]] for row in rows]
    answer = models.answers(found.record.id, mistakes, transcripts)
    if caught is not None and len(loud) == 1:  # the quiet one is left out of account, unless it shows here
        expected = [found.numbers[loud[0]][slot] for slot in slots]
    if None not in expected and _follows(answer, expected, slots, found):
        return None
    return answer


def _expected(first: int, second: int, forms: Sequence[Form]) -> int | None:
    return composed(first, second, lambda number: _place(forms, number)[0].sample.failed)


def _follows(answer: Answers, expected: Sequence[int | None], slots: Sequence[int], found: Findings) -> bool:
    for one, number, slot in zip(answer, expected, slots, strict=True):
        if one is None:
            continue
        form, row = _place(found.slots[slot], number or 0)
        if one.form != form.sample.form or not _alike(one.elements[form.places], form.elements[row][form.places]):
            return False
    return True


def _alike(one: Tensor, other: Tensor) -> bool:
    if not other.numel():
        return True
    size = _SAME * float(root_mean_square_of(other))
    return bool(torch.allclose(one, other, rtol=_SAME, atol=size, equal_nan=True))


def _values(answer: Answers, slots: Sequence[int], probes: Sequence[tuple[int, int]], found: Findings) -> Tensor:
    by_slot: dict[int, Reduced | None] = dict(zip(slots, answer, strict=True))
    values = []
    for slot, element in probes:
        one = by_slot[slot]
        fits = one is not None and one.form == found.slots[slot][0].sample.form
        values.append(float(one.elements[element]) if one is not None and fits else 0.0)
    return torch.tensor(values)


def _cases(found: Findings) -> list[int]:
    """As few cases as show all mistakes that are shown at all; of equal ones the shorter."""
    shown_in = [
        {row for row, numbers in enumerate(found.numbers) if any(numbers[slot] for slot in _slots(found, case))}
        for case in range(len(found.cases))
    ]
    chosen: list[int] = []
    left = set().union(*shown_in)
    while left or not chosen:
        best = max(range(len(shown_in)), key=lambda case: (len(shown_in[case] & left), -found.cases[case]))
        chosen.append(best)
        left = left - shown_in[best]
    return sorted(chosen)


def _slots(found: Findings, case: int) -> range:
    starts = [0, *itertools.accumulate(found.cases)]
    return range(starts[case], starts[case + 1])


def _probes(found: Findings, slots: Sequence[int], count: int) -> list[tuple[int, int]]:
    """The held elements that tell most single mistakes apart, slot by slot."""
    rows = [found.class_of.index(number) for number in found.loud]
    places = [(slot, place) for slot in slots for place in found.slots[slot][0].places]
    if not rows or not places:
        return places[:count]
    columns = []
    for slot, place in places:
        right = found.slots[slot][0]
        numbers = [found.numbers[row][slot] for row in rows]
        values = [right.elements[n][place] if n < len(right.elements) else torch.tensor(float("nan")) for n in numbers]
        column = torch.stack([value.double() for value in values])
        size = right.elements[0].nan_to_num(0.0, 0.0, 0.0).square().mean().sqrt()
        columns.append((column[:, None] - column).abs() > 2.0**-6 * size)  # with NaN: another form, told apart anyway
    apart = torch.stack(columns)  # [places, classes, classes]
    left = torch.ones(apart.shape[1:], dtype=torch.bool)
    chosen: list[int] = []
    for _ in range(min(count, len(places))):
        told = (apart & left).flatten(1).sum(1)
        told[chosen] = -1
        best = int(told.argmax())
        chosen.append(best)
        left &= ~apart[best]
    return [places[index] for index in sorted(chosen)]


def _place(forms: Sequence[Form], number: int) -> tuple[Form, int]:
    for form in forms:
        if number < len(form.elements):
            return form, number
        number -= len(form.elements)
    raise IndexError(number)
