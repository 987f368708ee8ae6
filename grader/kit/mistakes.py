"""What programs with known mistakes answer in one check: the rows of a key's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.agreement import WHOLLY, reach_of
from grader.diagnosis.mistakes import Mistake, all_mistakes
from grader.diagnosis.program import Program
from grader.diagnosis.records import CheckRecord
from grader.diagnosis.replay import answers, build
from grader.key.reduced import Reduced, reduced
from grader.kit import samples
from grader.transcript import Transcript

WHOLES = ("gqa", "block", "transformer")
"""Parts whose checks show the mistakes of others."""
_OF_A_WHOLE, _OF_A_PART = 8, 24
"""Elements of an answer that are held in any case. In parts the share that agrees tightly decides who pays."""

Answers = list[Reduced | None]
"""Of every slot of some cases; None after an exception, where a check asks no further."""


@dataclass
class Form:
    """Different answers of one form in one slot.

    Attributes:
        sample: one of them.
        elements: of each.
        places: which elements are held.
        count: how many there are, once trimmed.
        held: ``[count, places]``, FP64 where an answer is, else FP32; None before ``trim`` and where there are none.
    """

    sample: Reduced
    elements: list[Tensor]
    places: list[int] = field(default_factory=list)
    count: int = 0
    held: Tensor | None = None

    def trim(self) -> None:
        """Forget all elements but those that are held."""
        self.count = len(self.elements)
        if self.places:
            held = torch.stack(self.elements)[:, self.places]
            self.held = held if torch.float64 in self.sample.dtypes else held.float()
        self.sample = Reduced(self.sample.form, [], [], self.sample.failed)
        self.elements = []


@dataclass
class Findings:
    """One check.

    Attributes:
        slots: the forms of every slot, the right one first.
        shown: ids of the mistakes that show.
        numbers: the number of each one's answer in every slot.
        class_of: mistakes of one class answer alike.
        loud: classes that are far from right.
    """

    record: CheckRecord
    cases: list[int]
    slots: list[list[Form]]
    shown: list[str]
    numbers: list[list[int]]
    class_of: list[int]
    loud: list[int]


class Models:
    """Programs with known mistakes, each asked what the checks asked a right program.

    Args:
        run: what was asked in each check, in the order of the checks, and what a right program answered.
    """

    def __init__(self, run: Mapping[str, Sequence[Transcript]]) -> None:
        self.known = all_mistakes()
        self.records = {check: CheckRecord(check, True, transcripts) for check, transcripts in run.items()}
        self._lasting: dict[str, dict[str, Answers]] = {}
        self._states: dict[tuple[str, str], dict[str, Any]] = {}
        for mistake in self.known.values():
            if mistake.is_lasting:
                self._lasting[mistake.id] = self._whole_run(mistake)

    def answers(self, check: str, mistakes: Sequence[Mistake], transcripts: Sequence[Transcript]) -> Answers:
        """What a program with these mistakes answers in some cases of a check."""
        lasting = [one for one in mistakes if one.is_lasting]
        found: Answers = []
        for transcript in transcripts:
            program = build(mistakes)
            for one in lasting:  # what it remembers from earlier checks
                program.__dict__.update(_copied(self._states[one.id, check]))
            found += _asked(transcript, program)
        return found

    def single(self, check: str, mistake: Mistake) -> Answers:
        """The same for one mistake and all cases; one that outlives a check was seen in a run of all of them."""
        if mistake.is_lasting:
            return self._lasting[mistake.id][check]
        return self.answers(check, [mistake], self.records[check].transcripts)

    def right(self, check: str) -> list[Reduced]:
        """What a right program answers."""
        found = [one for case in self.records[check].transcripts for one in _asked(case, Program())]
        return [one for one in found if one is not None]

    def _whole_run(self, mistake: Mistake) -> dict[str, Answers]:
        program, found = build([mistake]), dict[str, Answers]()
        for check, record in self.records.items():
            self._states[mistake.id, check] = _copied(program.__dict__)
            found[check] = [one for case in record.transcripts for one in _asked(case, program)]
        return found


def _asked(transcript: Transcript, program: Program) -> Answers:
    found: Answers = []
    for exchange, answer in answers(transcript, program):
        found.append(reduced(answer, exchange.request["op"]))
        if "error" in answer:
            break
    return found + [None] * (len(transcript.exchanges) - len(found))


def _copied(state: Any) -> Any:
    """Containers and tensors copied; ``deepcopy`` refuses tensors that autograd made."""
    if isinstance(state, dict):
        return {key: _copied(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)) and not hasattr(state, "_fields"):
        return type(state)(_copied(value) for value in state)
    return state.detach().clone() if isinstance(state, Tensor) else state


def findings(models: Models, check: str) -> Findings:
    """The table of one check, single mistakes only."""
    record = models.records[check]
    right = models.right(check)
    slots: list[list[Form]] = [[Form(one, [one.elements])] for one in right]
    places: list[dict[tuple[int, bytes], tuple[int, int]]] = [
        {(one.form, _bits(one)): (0, 0)} for one in right
    ]  # form and row of each answer that was seen
    rows: dict[str, list[tuple[int, int]]] = {}
    for mistake in models.known.values():
        if mistake.part in record.parts:
            found = models.single(check, mistake)
            rows[mistake.id] = [
                (0, 0) if one is None else _placed(one, slots[index], places[index]) for index, one in enumerate(found)
            ]
    generator = torch.Generator().manual_seed(0)
    least = _OF_A_WHOLE if record.own_part in WHOLES else _OF_A_PART
    exchanges = [exchange for case in record.transcripts for exchange in case.exchanges]
    merged = []
    for forms, exchange in zip(slots, exchanges, strict=True):
        reach = reach_of(exchange.request)
        for form in forms:
            if form.sample.leaves:
                lengths = [len(leaf) for leaf in form.sample.leaves]
                form.places = samples.places(
                    torch.stack(form.elements), lengths, form.sample.dtypes, reach, generator, least
                )
        merged.append(_merged(forms))
    numbers = {id: [merged[index][place] for index, place in enumerate(row)] for id, row in rows.items()}
    shown = [id for id, row in numbers.items() if any(row)]
    classes: dict[tuple[int, ...], int] = {}
    class_of = [classes.setdefault(tuple(numbers[id]), len(classes)) for id in shown]
    loud = [
        number for row, number in classes.items() if _is_loud(row, slots, [reach_of(one.request) for one in exchanges])
    ]
    cases = [len(case.exchanges) for case in record.transcripts]
    return Findings(record, cases, slots, shown, [numbers[id] for id in shown], class_of, loud)


def _placed(one: Reduced, forms: list[Form], known: dict[tuple[int, bytes], tuple[int, int]]) -> tuple[int, int]:
    key = (one.form, _bits(one))
    if key not in known:
        at = next((index for index, form in enumerate(forms) if form.sample.form == one.form), len(forms))
        if at == len(forms):
            forms.append(Form(one, []))
        forms[at].elements.append(one.elements)
        known[key] = (at, len(forms[at].elements) - 1)
    return known[key]


def _bits(one: Reduced) -> bytes:
    return one.elements.numpy().tobytes()


def _merged(forms: list[Form]) -> dict[tuple[int, int], int]:
    """Keep answers that differ in what is held; returns the number of each by form and row."""
    numbers: dict[tuple[int, int], int] = {}
    start = 0
    for at, form in enumerate(forms):
        seen: dict[bytes, int] = {}
        kept: list[Tensor] = []
        for row, elements in enumerate(form.elements):
            bits = elements[form.places].numpy().tobytes()
            if bits not in seen:
                seen[bits] = len(kept)
                kept.append(elements)
            numbers[at, row] = start + seen[bits]
        form.elements = kept
        start += len(kept)
    return numbers


def _is_loud(row: Sequence[int], slots: Sequence[list[Form]], reaches: Sequence[float]) -> bool:
    for number, forms, reach in zip(row, slots, reaches, strict=True):
        if number >= len(forms[0].elements):
            return True
        if number and forms[0].places:
            right = forms[0]
            lengths = [len(leaf) for leaf in right.sample.leaves]
            one, other = right.elements[number], right.elements[0][None]
            differs = samples.differing(one, other, lengths, right.sample.dtypes, reach, tight=False)
            if float(differs.double().mean()) > 1 - WHOLLY:
                return True
    return False
