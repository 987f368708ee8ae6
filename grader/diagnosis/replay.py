"""Ask a model of mistakes what a check asked the submission, and measure how well the answers agree.

The model is served by the same ``Server`` that serves submissions in the worker: argument rules, handles, loaded
parameters, kept results, mutation facts and gradients mean the same. It runs in this process: it is our own code.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from grader.diagnosis.agreement import (
    HOPELESS,
    NOTHING,
    Agreement,
    whole,
)
from grader.diagnosis.compare import compare, facts_of
from grader.diagnosis.known import Known
from grader.diagnosis.memory import Memory
from grader.diagnosis.mistakes import Mistake, all_mistakes
from grader.diagnosis.program import Program
from grader.diagnosis.records import CheckRecord
from grader.transcript import Exchange, Transcript
from grader.wire.codec import Handle, Value
from grader.worker.serve import Server


class Replays:
    """See ``known.Agreements``: every agreement is a replay, half a millisecond.

    Args:
        known: the mistakes to consider; all by default.
        memory: what models answered to earlier submissions of a class.
    """

    def __init__(self, known: Mapping[str, Mistake] | None = None, memory: Memory | None = None) -> None:
        self.known: Mapping[str, Mistake] = dict(all_mistakes() if known is None else known)
        self._memory = memory
        if memory is not None:
            memory.begin()

    def of(self, record: CheckRecord, mistakes: Sequence[Known]) -> Agreement:
        """See Agreements.of."""
        return agreement(record.transcripts, self._models(mistakes), self._memory)

    def in_order(self, records: Sequence[CheckRecord], mistakes: Sequence[Known]) -> RunReplay:
        """See Agreements.in_order."""
        parts = {one.part for one in mistakes}
        reached = [bool(parts & record.parts) for record in records]
        return RunReplay([record.transcripts for record in records], reached, self._models(mistakes))

    def _models(self, mistakes: Sequence[Known]) -> list[Mistake]:
        return [self.known[one.id] for one in mistakes]


def build(mistakes: Sequence[Mistake]) -> Program:
    """A program with these mistakes in it, the same whatever their order.

    Where two of them change one step, the one that only adds to it stands before the one that replaces it: the other
    way round the first would never be reached.
    """
    ordered = sorted(mistakes, key=lambda one: (_replaces(one.steps), one.id))
    return _combined(tuple(mistake.steps for mistake in ordered))()


@functools.lru_cache(maxsize=1000)
def _combined(steps: tuple[type, ...]) -> Callable[[], Program]:
    """The class; what a model remembers stays in its objects."""
    return type("Model", (*steps, Program), {})


@functools.cache
def _replaces(steps: type) -> bool:
    """Whether some step of a mistake does without the right one (never calls ``super()``)."""
    own = [one for one in steps.__mro__ if one not in Program.__mro__]
    found = [value for one in own for value in vars(one).values()]
    functions = [value for value in found if isinstance(value, types.FunctionType)]
    return any("__class__" not in function.__code__.co_freevars for function in functions)


def agreement(
    transcripts: Sequence[Transcript], mistakes: Sequence[Mistake], memory: Memory | None = None
) -> Agreement:
    """How well a program with ``mistakes`` would have given the same answers, in all of these cases.

    Args:
        memory: what models answered to earlier submissions; the result is the same with it and without.
    """
    if memory is None:
        return agreement_with(transcripts, lambda: build(mistakes))
    ids = tuple(sorted(one.id for one in mistakes))
    key = ids, memory.whole(transcripts)
    known: Agreement | None = memory.agreement(key)
    if known is None:
        known = _agreement_from(transcripts, mistakes, ids, memory)
        memory.keep_agreement(key, known)
    return known


def _agreement_from(
    transcripts: Sequence[Transcript], mistakes: Sequence[Mistake], ids: tuple[str, ...], memory: Memory
) -> Agreement:
    """As ``agreement_with``, from answers that are kept as far as they go."""
    found: list[Agreement] = []
    for transcript in transcripts:
        model = _Remembered(transcript, mistakes, ids, memory)
        for number, exchange in enumerate(transcript.exchanges):
            found.append(compare(exchange, model.answer(number)))
            if found[-1].close < HOPELESS:
                return NOTHING
    return whole(found)


class _Remembered:
    """A model's answers to one case: kept ones, and where there is none, a model that is asked all from the start."""

    def __init__(
        self, transcript: Transcript, mistakes: Sequence[Mistake], ids: tuple[str, ...], memory: Memory
    ) -> None:
        self._transcript, self._mistakes, self._ids, self._memory = transcript, mistakes, ids, memory
        self._digests = memory.requests(transcript)
        self._server: Server | None = None
        self._handles: dict[int, Handle] = {}
        self._asked = 0

    def answer(self, number: int) -> Mapping[str, Value]:
        """The answer to the exchange of this number."""
        key = self._ids, self._digests[number]
        kept = self._memory.answer(key)
        if kept is not None:
            return kept
        self._server = self._server or server_of(build(self._mistakes))
        answer: Mapping[str, Value] = {}
        for exchange in self._transcript.exchanges[self._asked : number + 1]:
            answer = self._server.answer(_translated(exchange.request, self._handles))
            _pair_handles(exchange.answer, answer, self._handles)
        self._asked = number + 1
        self._memory.keep_answer(key, answer)
        return answer


def agreement_with(transcripts: Sequence[Transcript], make: Callable[[], Program]) -> Agreement:
    """How well any program would have given the same answers; each case gets a new one from ``make``."""
    found: list[Agreement] = []
    for transcript in transcripts:
        found += _replay(transcript, make(), patient=False)
        if found and found[-1].close < HOPELESS:
            return NOTHING
    return whole(found)


class RunReplay(Sequence[Agreement]):
    """``agreement`` for the checks of a whole run, on one program that remembers what earlier checks asked.

    It goes only as far as somebody wants to know, and passes over checks that do not reach the program's mistakes.

    Args:
        run: the transcripts of each check, in the order in which they ran.
        reached: whether each check's calls reach the parts that hold the mistakes.
    """

    def __init__(
        self, run: Sequence[Sequence[Transcript]], reached: Sequence[bool], mistakes: Sequence[Mistake]
    ) -> None:
        self._run, self._reached = run, reached
        self._program = build(mistakes)
        self._found: list[Agreement] = []

    def __len__(self) -> int:
        """As many as checks."""
        return len(self._run)

    @overload
    def __getitem__(self, number: int) -> Agreement: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Agreement]: ...
    def __getitem__(self, number: int | slice) -> Agreement | Sequence[Agreement]:
        """Of the check with this number."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        while len(self._found) <= number:
            at = len(self._found)
            cases = self._run[at] if self._reached[at] else ()
            self._found.append(whole([one for case in cases for one in _replay(case, self._program, patient=True)]))
        return self._found[number]


def _replay(transcript: Transcript, program: Program, *, patient: bool) -> list[Agreement]:
    """Agreement of every answer; without patience only up to the first that does not agree at all."""
    found = []
    for exchange, answer in answers(transcript, program):
        found.append(compare(exchange, answer))
        if found[-1].close < HOPELESS and not patient:
            break
    return found


def answers(transcript: Transcript, program: Program) -> Iterator[tuple[Exchange, Mapping[str, Value]]]:
    """Every exchange of a case, with what ``program`` answers to its request."""
    server, handles = server_of(program), dict[int, Handle]()
    for exchange in transcript.exchanges:
        answer = server.answer(_translated(exchange.request, handles))
        _pair_handles(exchange.answer, answer, handles)
        yield exchange, answer


def server_of(program: Program) -> Server:
    """What answers requests for ``program``, without a worker around it."""
    return Server(program.find, leave_flags)


def leave_flags() -> None:
    """Our own code leaves the arithmetic flags alone, so they need not be set again before each call."""


def _translated(value: Any, handles: Mapping[int, Handle]) -> Any:
    """The request with the worker's handles replaced by the model's."""
    if isinstance(value, Handle):
        return handles.get(value.number, Handle(0))
    if isinstance(value, Mapping):
        return {key: _translated(item, handles) for key, item in value.items()}
    if isinstance(value, list):
        return [_translated(item, handles) for item in value]
    return value


def _pair_handles(theirs: Mapping[str, Value], ours: Mapping[str, Value], handles: dict[int, Handle]) -> None:
    for one, other in (
        (theirs.get("value"), ours.get("value")),
        (facts_of(theirs).get("handle"), facts_of(ours).get("handle")),
    ):
        if isinstance(one, Handle) and isinstance(other, Handle):
            handles[one.number] = other
