"""What programs of ours answer to steps in the submission's place, and so whether the steps can show mistakes at all.

A program with the mistakes that answers bit for bit as a right one agrees with the submission exactly as well as the
right one does: its answers show nothing, and the submission need not be asked. Most small cases are of this kind.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from grader.counterexample.asking import Asking
from grader.counterexample.steps import Steps
from grader.diagnosis.agreement import HOPELESS, NOTHING, Agreement, whole
from grader.diagnosis.compare import compare
from grader.diagnosis.memory import OBJECTS, size_of
from grader.diagnosis.mistakes import Mistake
from grader.diagnosis.replay import agreement, build, leave_flags
from grader.numerics.bits import bits
from grader.run_state import RunState
from grader.runners.in_process import InProcessRunner
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.transcript import Transcript
from grader.wire.codec import Value


class Walk(NamedTuple):
    """What a program answered to some steps.

    Attributes:
        exchanged: to their requests, in order.
        answers: as ``Asking`` understood it, for each step.
    """

    exchanged: Sequence[Mapping[str, Value]]
    answers: Sequence[Any]


class Foreseen:
    """Answers of our programs, for a class: the same steps come again. Least recently used ones are forgotten first.

    Args:
        most: bytes.
    """

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._known: OrderedDict[Hashable, tuple[Walk | None, int]] = OrderedDict()
        self._last: tuple[Steps, bytes] = (), b""

    def may_show(self, steps: Steps, mistakes: Sequence[Mistake], message: str) -> bool:
        """False: a program with these mistakes, all of which forget, answers these steps as a right one does.

        Args:
            message: id of the failure's; where numbers are looked for, a gradient that is missing shows nothing.
        """
        if not mistakes or any(one.is_lasting for one in mistakes):
            return True
        right, with_them = self._walk(steps, ()), self._walk(steps, mistakes)
        if right is None or with_them is None or len(right.exchanged) != len(with_them.exchanged):
            return True
        different = [pair for pair in zip(right.exchanged, with_them.exchanged, strict=True) if pair[0] != pair[1]]
        return any(not (message == "values.differ" and _is_only_missing(*pair)) for pair in different)

    def right(self, steps: Steps) -> Sequence[Any] | None:
        """``Asking.answers`` of a right program."""
        walk = self._walk(steps, ())
        return None if walk is None else walk.answers

    def agreement(self, steps: Steps, transcript: Transcript, mistakes: Sequence[Mistake]) -> Agreement:
        """How well a program with ``mistakes`` would have given the answers of ``transcript``; see ``replay``.

        Args:
            transcript: of these steps, up to the first that had no answer.
        """
        walk = self._walk(steps, mistakes)
        if walk is None:
            return agreement([transcript], mistakes)
        found: list[Agreement] = []
        for exchange, answer in zip(transcript.exchanges, walk.exchanged, strict=False):
            found.append(compare(exchange, answer))
            if found[-1].close < HOPELESS:
                return NOTHING
        return whole(found)

    def _walk(self, steps: Steps, mistakes: Sequence[Mistake]) -> Walk | None:
        """None: not every step has an answer."""
        if self._last[0] is not steps:
            self._last = steps, _digest(steps)
        key = self._last[1], tuple(sorted(one.id for one in mistakes))
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key][0]
        walk = _asked(steps, mistakes)
        size = OBJECTS + (0 if walk is None else 2 * sum(map(size_of, walk.exchanged)))
        self._known[key] = walk, size
        self._bytes += size
        while self._bytes > self._most:
            _, (_, forgotten) = self._known.popitem(last=False)
            self._bytes -= forgotten
        return walk


def _is_only_missing(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether one answer has gradients that the other has not, and they are the same but for these."""
    found, lacking = one.get("value"), other.get("value")
    if not isinstance(found, dict) or not isinstance(lacking, dict) or found.keys() != lacking.keys():
        return False
    return all(lacking[name] is None or lacking[name] == value for name, value in found.items())


def _asked(steps: Steps, mistakes: Sequence[Mistake]) -> Walk | None:
    transcript, run = Transcript(), RunState(InProcessRunner(build(mistakes).find, before_each=leave_flags), {})
    asking = Asking(Student(Calls(run, transcript)), transcript)
    asking.ask(steps)
    answers = asking.answers
    return None if answers is None else Walk([exchange.answer for exchange in transcript.exchanges], answers)


def _digest(steps: Steps) -> bytes:
    """Of all that goes over, how it lies in memory included."""
    digest = hashlib.blake2b(digest_size=16)
    for step in steps:
        digest.update(repr((step.op, step.name, step.on, step.attribute, step.mode, step.keep)).encode())
        for given in (step.arguments, step.weights, {"cotangent": step.cotangent}):
            _feed(digest, given)
    return digest.digest()


def _feed(digest: Any, given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if not isinstance(value, Tensor):
            digest.update(f"{name!r} {value!r};".encode())
            continue
        form = f"{name!r} {value.dtype} {list(value.shape)} {value.stride()} {value._base is None}:"
        digest.update(form.encode())
        digest.update(bits(value))
    digest.update(b"|")
