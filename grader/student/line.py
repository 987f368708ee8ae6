"""The line to the worker for one case of a check.

What prepares a call (constructing a module, loading its weights) waits for the call and travels in its frame: it needs
no answer of its own, and each frame more is two processes that wait for each other.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader import contract
from grader.errors import CheckFailure, Outcome, WorkerLost
from grader.run_state import RunState
from grader.student.faults import failure_of
from grader.student.places import Places
from grader.transcript import Exchange, Transcript
from grader.wire.codec import Handle, Value

Answer = dict[str, Value]

MOST_POSTED = 24
"""Requests that wait for one frame; the codec limits what one may hold."""


@dataclass(frozen=True)
class Posted:
    """A request whose answer nobody waits for yet.

    Attributes:
        name: of the contract, to which a failure belongs.
        places: where its tensors live.
    """

    request: Mapping[str, Value]
    name: str
    places: Places


class Line:
    """Sends requests of one case to a live worker, in order, and notes down what was asked and answered.

    The worker hears of the case by a number that says nothing: a submission that knew which check asks could answer
    each as it likes, and print what a hidden one is called.

    Args:
        run: the live worker, and what is known of the submission from earlier checks.
        transcript: where requests and answers are noted down, for the diagnosis. They name no device: the models of
            mistakes compute on the CPU, whatever the submission was asked on.
    """

    def __init__(self, run: RunState, transcript: Transcript) -> None:
        self._run, self._transcript, self._case = run, transcript, secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self._posted: list[Posted] = []

    def new_handle(self) -> Handle:
        """A name for the next object; the worker keeps it under this name, so that it can be used before it exists."""
        return Handle(next(self._numbers))

    def post(self, request: Mapping[str, Value], name: str, places: Places) -> None:
        """Send with the next request that waits for its answer. Raises CheckFailure, for something posted before."""
        if len(self._posted) == MOST_POSTED:
            self.settle()
        self._transcript.asked.add(name)
        self._posted.append(Posted(request, name, places))

    def settle(self) -> None:
        """Wait for what was posted. Raises CheckFailure: what went wrong first."""
        if self._posted:
            last = self._posted.pop()
            self.ask(last.request, last.name, last.places)

    def ask(self, request: Mapping[str, Value], name: str, places: Places) -> Value:
        """Send, after what was posted, and return the answer's value. Raises CheckFailure."""
        return self.ask_all([request], name, places)[0]

    def ask_all(self, requests: Sequence[Mapping[str, Value]], name: str, places: Places) -> list[Value]:
        """Send requests that need nothing of each other's answers; returns their values. Raises CheckFailure."""
        values: list[Value] = []
        for start in range(0, len(requests), MOST_POSTED // 2):
            *before, last = requests[start : start + MOST_POSTED // 2]
            if len(self._posted) + len(before) > MOST_POSTED:
                self.settle()
            for request in before:
                self.post(request, name, places)
            answers, answer = self._exchange(last, name, places)
            values += [one.get("value") for one in answers[len(answers) - len(before) :]]
            values.append(self._value(answer, name, places))
        return values

    def ask_for_refusal(self, request: Mapping[str, Value], name: str, places: Places) -> Mapping[str, Value] | None:
        """Send what should be refused; returns the error, None where there is none. Raises CheckFailure."""
        _, answer = self._exchange(request, name, places)
        error = answer.get("error")
        if not isinstance(error, dict):
            return None
        self._replace_after(error)
        if error.get("kind") != "raised":
            raise failure_of(error, name)
        return error

    def need(self, name: str, places: Places) -> None:
        """Import the module that holds ``name`` once in a run; its failure then stands for every later use."""
        module = f"{contract.PACKAGE}.{contract.MODULE_OF[name]}"
        self._transcript.asked.add(name)
        imports = self._run.imports
        if module not in imports:
            frame = self._frame({"op": "import", "module": module}, places)
            try:
                answer = self._run.worker().ask(frame, seconds=self._run.runner.limits.load)
                error = answer.get("error")
                self._note_facts(answer, name, places)
                self._replace_after(error)
                imports[module] = None if error is None else failure_of(error, name)
            except WorkerLost as lost:
                imports[module] = lost
        failure = imports[module]
        if failure is not None:
            raise failure.with_traceback(None)

    # -- frames -----------------------------------------------------------------------------------------------

    def _exchange(self, request: Mapping[str, Value], name: str, places: Places) -> tuple[list[Answer], Answer]:
        """Answers to what was posted, none of them an error, and to the request."""
        posted = self._posted[:]
        self._posted.clear()
        self._transcript.asked.add(name)
        frame = self._frame(request, places)
        if posted:
            frame["first"] = [dict(one.places.request(one.request)) for one in posted]
        calls = sum(map(_is_call, [*(one.request for one in posted), request]))
        try:
            answer: Answer = dict(self._run.worker().ask(frame, seconds=self._run.seconds(name, max(1, calls))))
        except WorkerLost as lost:
            self._transcript.complete = False
            if lost.outcome is Outcome.TIMEOUT:
                self._run.slow.add(name)
            raise
        if posted and "error" in answer and "first" not in answer:  # all answers together were too much
            self._transcript.complete = False
            self._value(answer, name, places)
        answers = self._answers_to(posted, answer.pop("first", []))
        self._note(request, answer, name)
        return answers, answer

    def _answers_to(self, posted: Sequence[Posted], found: Value) -> list[Answer]:
        answers = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
        for one, answer in zip(posted, answers, strict=False):
            self._note(one.request, answer, one.name)
            self._value(answer, one.name, one.places)
        if len(answers) != len(posted):  # none of them is an error, so there must be all
            self._transcript.complete = False
            raise no_answer(f"{len(answers)} answers to {len(posted)} requests")
        return answers

    def _note(self, request: Mapping[str, Value], answer: Answer, name: str) -> None:
        self._transcript.exchanges.append(Exchange(request, answer))
        if "error" not in answer and _is_call(request):
            self._transcript.answered.add(name)

    def _value(self, answer: Answer, name: str, places: Places) -> Value:
        error = answer.get("error")
        if error is not None:
            self._replace_after(error)
            raise failure_of(error, name)
        self._note_facts(answer, name, places)
        return answer.get("value")

    def _frame(self, request: Mapping[str, Value], places: Places) -> dict[str, Value]:
        return {**places.request(request), "check": self._case}

    def _note_facts(self, answer: Answer, name: str, places: Places) -> None:
        facts = answer.get("facts")
        found = facts if isinstance(facts, dict) else {}
        if "default_device" in found:
            self._run.defaults.setdefault(name, str(found["default_device"])[:100])
        places.note(found)

    def _replace_after(self, error: Value) -> None:
        """After an error of the device itself nothing works in that process: the next call gets another."""
        if isinstance(error, dict) and error.get("kind") == "device":
            self._run.fresh_worker()


def no_answer(detail: str) -> CheckFailure:
    """What the worker sent is no answer."""
    return CheckFailure("worker.protocol", outcome=Outcome.PROTOCOL, detail=detail)


def _is_call(request: Mapping[str, Value]) -> bool:
    """Whether it runs a function of the submission that is no constructor."""
    return request["op"] in ("call", "gradients") and not request.get("construct")
