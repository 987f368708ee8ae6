"""Which mistakes a submission's answers agree with, by the answers that a key has recorded of them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.diagnosis.agreement import HOPELESS, NOTHING, Agreement, same, together, whole
from grader.diagnosis.known import Known
from grader.diagnosis.records import CheckRecord
from grader.key.facts import KnownMistake
from grader.key.flat import unpack
from grader.key.reader import Key
from grader.key.slots import Slot
from grader.key.tables import RecordedPairs, RecordedTable


class Signatures:
    """See ``known.Agreements``.

    What programs with one mistake answer is recorded, and what programs with two of them do, where both show. Three at
    once in one check agree with nothing.
    """

    def __init__(self, key: Key) -> None:
        self._key = key
        self._index = {one.id: index for index, one in enumerate(key.facts.mistakes)}
        self._tables: dict[str, Table] = {}

    @functools.cached_property
    def known(self) -> Mapping[str, KnownMistake]:
        """See Agreements.known."""
        return {one.id: one for one in self._key.facts.mistakes}

    def of(self, record: CheckRecord, mistakes: Sequence[Known]) -> Agreement:
        """See Agreements.of."""
        if record.id not in self._tables:
            self._tables[record.id] = Table(self._key.flat, self._key.tables[record.id], record)
        return self._tables[record.id].of([self._index[one.id] for one in mistakes])

    def in_order(self, records: Sequence[CheckRecord], mistakes: Sequence[Known]) -> list[Agreement]:
        """See Agreements.in_order. What a lasting mistake answers was recorded in a run of all checks."""
        return [self.of(record, [one for one in mistakes if one.part in record.parts]) for record in records]


@dataclass(frozen=True)
class _Pairs:
    """Unpacked: which row two classes have, and what is in it."""

    recorded: RecordedPairs
    row_of: Mapping[tuple[int, ...], int]
    form_of: Tensor
    values: Tensor


class Table:
    """One check of one submission beside what the key knows of it."""

    def __init__(self, flat: Mapping[str, Tensor], recorded: RecordedTable, record: CheckRecord) -> None:
        self._flat, self._recorded = flat, recorded
        self._row = {mistake: row for row, mistake in enumerate(recorded.shown)}
        self._answers: list[list[int]] = unpack(flat, recorded.answers).tolist()
        self._slots: dict[int, Slot] = {}
        starts = [0, *itertools.accumulate(recorded.cases)]
        for start, transcript in zip(starts, record.transcripts, strict=False):
            for offset, exchange in enumerate(transcript.exchanges):
                self._slots[start + offset] = Slot(flat, recorded.slots[start + offset], exchange)

    def of(self, mistakes: Sequence[int]) -> Agreement:
        """With a program that has these mistakes, by their indices among all."""
        rows = {self._recorded.class_of[self._row[one]]: self._row[one] for one in mistakes if one in self._row}
        if self._recorded.loud_only and len(rows) > 1 and not self._is_held(*sorted(rows)):
            rows = {number: row for number, row in rows.items() if number in self._loud} or dict([*rows.items()][:1])
        if len(rows) > 2:
            return NOTHING
        if len(rows) == 2:
            return self._both(*sorted(rows))
        return self._single(self._answers[next(iter(rows.values()))] if rows else None)

    def _is_held(self, *classes: int) -> bool:
        return self._pairs is not None and classes in self._pairs.row_of

    def _single(self, answers: Sequence[int] | None) -> Agreement:
        found = []
        for index, slot in self._slots.items():
            found.append(slot.with_answer(0 if answers is None else answers[index]))
            if found[-1].close < HOPELESS:
                return NOTHING
        return whole(found)

    def _both(self, first: int, second: int) -> Agreement:
        pairs = self._pairs
        row = None if pairs is None else pairs.row_of.get((first, second))
        if pairs is not None and row is not None:
            return self._recorded_pair(pairs, row)
        rows, found = [self._first_row(one) for one in (first, second)], []
        for index, slot in self._slots.items():
            answer = composed(self._answers[rows[0]][index], self._answers[rows[1]][index], slot.fails_with)
            found.append(NOTHING if answer is None else slot.with_answer(answer))
            if found[-1].close < HOPELESS:
                return NOTHING
            if slot.theirs.failed:
                break
        return whole(found)

    def _recorded_pair(self, pairs: _Pairs, row: int) -> Agreement:
        digests = pairs.recorded.forms[int(pairs.form_of[row])]
        coarse, found = pairs.values.dtype == torch.float16, []
        for number, index in enumerate(pairs.recorded.slots):
            slot = self._slots.get(index)
            if slot is None:
                continue
            chosen = [place for place, (at, _) in enumerate(pairs.recorded.probes) if at == index]
            if slot.theirs.form != digests[number]:
                return NOTHING
            values = pairs.values[row][chosen]
            if not chosen or slot.theirs.form != self._recorded.slots[index][0].digest:
                found.append(same(True))
                continue
            elements = [pairs.recorded.probes[place][1] for place in chosen]
            found.append(slot.at(elements, values) if coarse else slot.finely_at(elements, values))
        return together(found) if found else NOTHING

    def _first_row(self, number: int) -> int:
        return self._recorded.class_of.index(number)

    @functools.cached_property
    def _loud(self) -> set[int]:
        return set(self._recorded.loud)

    @functools.cached_property
    def _pairs(self) -> _Pairs | None:
        recorded = self._recorded.pairs
        if recorded is None:
            return None
        held = unpack(self._flat, recorded.held).tolist()
        classes = max(self._recorded.class_of, default=-1) + 1
        places = itertools.combinations(range(classes), 2)
        kept = [both for number, both in enumerate(places) if held[number // 8] & 1 << number % 8]
        row_of: dict[tuple[int, ...], int] = {both: row for row, both in enumerate(kept)}
        return _Pairs(recorded, row_of, unpack(self._flat, recorded.form_of), unpack(self._flat, recorded.values))


def composed(first: int, second: int, fails: Callable[[int], bool]) -> int | None:
    """What two mistakes answer together where one of them alone decides; None where neither does.

    Args:
        first: the number of the answer that one of them gives; 0 is right.
        second: that of the other.
        fails: whether an answer is an exception: then nothing is computed any more.
    """
    if first == second or second == 0:
        return first
    if first == 0:
        return second
    if fails(first) != fails(second):
        return first if fails(first) else second
    return None
