"""A live source that notes down what it says, so that a key can say it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import torch
from torch import Tensor

from grader.diagnosis.records import CheckRecord
from grader.diagnosis.replay import Replays
from grader.key.cases import RecordedAnswer, RecordedCall, RecordedCase, RecordedDesign, RecordedNumbers
from grader.key.flat import Packer, Ref
from grader.live import LiveSource
from grader.numerics import designed
from grader.numerics.answer import Answer, WholeNumbers
from grader.numerics.draw import Chance
from grader.numerics.inputs import Designed, Inputs
from grader.source import Cached, Oracle, label

_NEEDS_NO_KNOWLEDGE = ("exactly", "nearly", "whole_numbers")


@dataclass
class _Notes:
    """Of one case, as they were given."""

    chance: list[Tensor] = field(default_factory=list)
    designs: list[Designed | Tensor] = field(default_factory=list)
    calls: list[tuple[str, Any]] = field(default_factory=list)


class RecordingSource:
    """See ``source.Source``."""

    only_at_grading = 0

    def __init__(self, seed: int) -> None:
        self._live, self._notes = LiveSource(seed), dict[str, _Notes]()

    def draw(self, check: str, case: str) -> Inputs:
        """See Source.draw."""
        notes = self._notes_of(check, case)
        return Inputs(_Chance(Chance(self._live.draw(check, case).seed), notes), _Designs(notes))

    def oracle(self, check: str, case: str) -> Oracle:
        """See Source.oracle."""
        return cast("Oracle", _Oracle(self._live.oracle(check, case), self._notes_of(check, case)))

    def agreements(self) -> Replays:
        """See Source.agreements."""
        return self._live.agreements()

    def around_parts(
        self, records: Sequence[CheckRecord], explained: Mapping[str, object], lend: Callable[[], Any]
    ) -> dict[str, list[str]]:
        """See Source.around_parts."""
        return {}

    def recorded(self, packer: Packer) -> dict[str, RecordedCase]:
        """Everything, with its tensors in ``packer``."""
        return {name: _recorded(notes, packer) for name, notes in self._notes.items()}

    def _notes_of(self, check: str, case: str) -> _Notes:
        return self._notes.setdefault(label(check, case), _Notes())


class _Chance:
    def __init__(self, chance: Chance, notes: _Notes) -> None:
        self._chance, self._notes = chance, notes

    def __getattr__(self, name: str) -> Callable[..., Tensor]:
        ask = getattr(self._chance, name)

        def asked(*arguments: int) -> Tensor:
            given: Tensor = ask(*arguments)
            self._notes.chance.append(given.clone())
            return given

        return asked


class _Designs:
    def __init__(self, notes: _Notes) -> None:
        self._notes = notes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        make = getattr(designed, name)

        def made(*arguments: Any, **options: Any) -> Any:
            design = make(*arguments, **options)
            self._notes.designs.append(design)
            return design

        return made


class _Oracle:
    """Answers with bounds that are computed when a check compares values, so that one sees whether it does."""

    def __init__(self, oracle: Oracle, notes: _Notes) -> None:
        self._oracle, self._notes = oracle, notes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        ask = getattr(self._oracle, name)
        if name in _NEEDS_NO_KNOWLEDGE:
            return cast("Callable[..., Any]", ask)

        def asked(*arguments: Any, **options: Any) -> Any:
            said = ask(*arguments, **options)
            if isinstance(said, Answer):
                said = _lazily(said)
            elif isinstance(said, dict):
                said = type(said)({key: _lazily(answer) for key, answer in said.items()})
            elif isinstance(said, tuple):
                first, second = (_lazily(answer) for answer in said)
                said = Cached(first, second) if isinstance(said, Cached) else (first, second)
            self._notes.calls.append((name, said))
            return said

        return asked


def _lazily(answer: Answer) -> Answer:
    return replace(answer, limit=lambda: answer.bound)


def _recorded(notes: _Notes, packer: Packer) -> RecordedCase:
    return RecordedCase(
        chance=[packer.add(_narrow(one)) for one in notes.chance],
        designs=[_design(one, packer) for one in notes.designs],
        calls=[_call(name, said, packer) for name, said in notes.calls],
    )


def _narrow(tensor: Tensor) -> Tensor:
    """Integers of chance are small."""
    if tensor.is_floating_point():
        return tensor
    narrow = torch.int8 if int(tensor.abs().max() if tensor.numel() else 0) < 128 else torch.int32
    return tensor.to(narrow)


def _design(one: Designed | Tensor, packer: Packer) -> RecordedDesign:
    if isinstance(one, Tensor):
        return RecordedDesign(x=packer.add(one))
    return RecordedDesign(
        x=packer.add(one.x),
        name=one.spec.name,
        arguments=dict(one.spec.arguments),
        weights={name: packer.add(cast("Tensor", value)) for name, value in one.spec.weights.items()},
        expected=packer.add(one.expected),
        first=one.first,
    )


def _call(method: str, said: Any, packer: Packer) -> RecordedCall:
    if isinstance(said, WholeNumbers):
        numbers = RecordedNumbers(low=said.low, high=said.high, name=said.name, multiple_of=said.multiple_of)
        return RecordedCall(method=method, numbers=numbers)
    sources = list(said) if isinstance(said, dict) else []
    answers = [said] if isinstance(said, Answer) else list(said.values() if isinstance(said, dict) else said)
    return RecordedCall(method=method, answers=[_answer(one, packer) for one in answers], sources=sources)


def _answer(one: Answer, packer: Packer) -> RecordedAnswer:
    used = "bound" in vars(one)
    return RecordedAnswer(
        truth=packer.add(one.truth),
        limit=packer.add(one.bound) if used else None,
        dtype=str(one.dtype).removeprefix("torch."),
        axes=one.axes,
        name=one.name,
        positions=_maybe(one.positions, packer),
        pairs=one.pairs,
    )


def _maybe(tensor: Tensor | None, packer: Packer) -> Ref | None:
    return None if tensor is None else packer.add(_narrow(tensor))
