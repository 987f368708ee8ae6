"""Ask the submission the steps, and stop at the first answer that is wrong in the way that is looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor

from grader.contract import parameter_shapes
from grader.counterexample.right import Expected, Right
from grader.counterexample.steps import Ref, Step, Steps
from grader.counterexample.wrong import Kind, Wrong
from grader.errors import CheckFailure, WorkerLost
from grader.numerics.answer import Answer, WholeNumbers
from grader.oracle.live import Oracle
from grader.student.submission import Cache, Module, Student
from grader.transcript import Transcript
from grader.wire import tensors
from grader.wire.codec import Handle, RawTensor


class Asking:
    """One walk through the steps: first everything is asked, then it is compared.

    Args:
        student: the submission.
        transcript: where its calls are noted down.
    """

    def __init__(self, student: Student, transcript: Transcript) -> None:
        self._student, self._transcript = student, transcript
        self._objects: dict[int, Any] = {}
        self._answers: list[Any] = []
        self._failure: CheckFailure | None = None
        self._steps: Steps = ()
        self._kind: Kind | None = None
        self._about = ""

    def ask(self, steps: Steps) -> None:
        """Ask the steps up to the first that has no answer. Raises WorkerLost."""
        self._steps = steps
        try:
            for index, step in enumerate(steps):
                self._answers.append(self._ask(step, index, steps))
            self._student.settle()
        except WorkerLost:
            raise
        except CheckFailure as failure:
            self._failure = failure
            del self._answers[self._failed_at() :]

    def _failed_at(self) -> int:
        """The step that has no answer: an object is constructed with its first use, and fails there."""
        exchanges = self._transcript.exchanges
        request = exchanges[-1].request if exchanges else {}
        handle = request["object"] if request.get("op") == "set" else None
        if request.get("construct") and "as" in request:  # what must be refused has no name to go by
            handle = Handle(request["as"])
        built = {one.handle: index for index, one in self._objects.items()}
        return built.get(handle, len(self._answers))

    @property
    def answers(self) -> Sequence[Any] | None:
        """What came back of every step: tensors by part, a whole number, or None; None when a step has no answer."""
        return self._answers if self._failure is None else None

    def first_wrong(
        self, kind: Kind, about: str, oracle: Oracle, as_right: Sequence[Any] | None = None
    ) -> Wrong | None:
        """The first answer that is wrong.

        Args:
            kind: what is looked for, which decides what is compared.
            about: the only name of answers to compare; empty: all.
            oracle: what is right.
            as_right: ``answers`` of a right program: what is the same need not be compared with the oracle.
        """
        self._kind, self._about = kind, _base(about)
        right = Right(self._steps, oracle)
        for index, given in enumerate(self._answers):
            same = None if as_right is None else as_right[index]
            wrong = self._compared(index, given, right.answer(index), same)
            if wrong is not None:
                return wrong
        return None if self._failure is None else self._raised(len(self._answers), self._failure, right)

    def _raised(self, index: int, failure: CheckFailure, right: Right) -> Wrong:
        if failure.message == "call.mutated":
            return self._mutated(index, failure)
        if failure.message == "parameters.set":
            return Wrong(index, failure, state=self._state())
        expected = right.answer(index)
        if isinstance(expected, dict):
            part, answer = next(iter(expected.items()))
            return Wrong(index, failure, part, right=answer)
        return Wrong(index, failure, numbers=_range(expected))

    def _compared(
        self, index: int, given: Any, expected: Expected | WholeNumbers | None, as_right: Any
    ) -> Wrong | None:
        if isinstance(expected, WholeNumbers):
            try:
                expected.accept([given])
            except CheckFailure as failure:
                return Wrong(index, failure, given=torch.tensor([given]), numbers=_range(expected))
        if not isinstance(expected, dict):
            return None
        for part, answer in expected.items():
            value = given.get(part)
            if self._about and _base(answer.name) != self._about:
                continue
            if value is None:
                return Wrong(index, CheckFailure("gradients.none", name=answer.name, source=part), part, right=answer)
            if isinstance(as_right, dict) and _is_same(value, as_right.get(part)):
                continue
            try:
                self._accept(answer, value)
            except CheckFailure as failure:
                return Wrong(index, failure, part, value, answer)
        return None

    def _accept(self, answer: Answer, value: Tensor) -> None:
        if self._kind is not None and self._kind.of_form:
            answer.has_form(value)
        else:
            gross = self._kind is not None and self._kind.gross
            answer.coarse(gross).accepts(value, any_dtype=True)

    def _ask(self, step: Step, index: int, steps: Steps) -> Any:
        student, given = self._student, dict(step.arguments)
        if step.op == "build":
            self._objects[index] = student.cache() if step.name == "KVCache" else student.build(step.spec)
        elif step.op == "refused":
            shown = ", ".join(f"{name} = {_short(value)}" for name, value in given.items())
            student.refuses(step.name, given).must_be_value_error(step.name, shown)
        elif step.op == "unchanged":
            student.must_not_mutate(step.name)
        elif step.op == "fetch":
            return dict(zip(("keys", "values"), student.kept(), strict=False))
        elif step.op == "state":
            build = steps[cast("int", step.on)]
            module: Module = self._objects[cast("int", step.on)]
            if build.weights:
                module.must_still_hold(build.spec)
            else:
                module.must_train(parameter_shapes(build.name, build.spec.arguments))
        elif step.op == "read":
            value = getattr(self._objects[cast("int", step.on)], step.attribute)
            return value if step.attribute == "length" else {step.attribute: value}
        elif step.op == "gradients":
            cotangent = cast("Tensor", step.cotangent)
            if step.on is not None:
                return self._objects[step.on].gradients(given["x"], cotangent)
            return student.gradients(step.name, given, cotangent)
        else:
            return self._call(step, given)
        return None

    def _call(self, step: Step, given: dict[str, Any]) -> Any:
        student = self._student
        if step.keep:
            student.keep_next()
        if step.on is not None:
            owner = self._objects[step.on]
            if isinstance(owner, Cache):
                return dict(zip(("keys", "values"), owner.append(given["k"], given["v"]), strict=True))
            return {"result": owner(**{name: self._found(value) for name, value in given.items()}, mode=step.mode)}
        if step.name == "rope_cos_sin":
            return dict(zip(("cos", "sin"), student.rope_cos_sin(**given), strict=True))
        if step.name == "kv_cache_bytes":
            return student.kv_cache_bytes(*given.values())
        if step.name == "swiglu_hidden_dim":
            return student.swiglu_hidden_dim(**given)
        mode = {"mode": step.mode} if step.mode else {}
        return {"result": getattr(student, step.name)(**given, **mode)}

    def _found(self, value: Any) -> Any:
        if isinstance(value, Ref):
            return self._objects[value.step]
        return [self._found(item) for item in value] if isinstance(value, list) else value

    def _mutated(self, index: int, failure: CheckFailure) -> Wrong:
        """The first argument that was changed, as it is now."""
        part = str(failure.arguments["changed"]).split(", ")[0]
        now = self._transcript.exchanges[-1].answer.get("value")
        value = now.get(part) if isinstance(now, dict) else None
        return Wrong(index, failure, part, tensors.from_raw(value) if isinstance(value, RawTensor) else None)

    def _state(self) -> dict[str, tuple[int, ...]]:
        value = cast("Mapping[str, Any]", self._transcript.exchanges[-1].answer["value"])
        return {str(name): tuple(value["parameters"][name].shape) for name in cast("Sequence[str]", value["trained"])}


def _is_same(value: Tensor, other: Tensor | None) -> bool:
    """Whether two results are the same finite numbers in the same dtype."""
    if other is None or value.dtype != other.dtype:
        return False
    return torch.equal(value, other) and bool(value.isfinite().all())


def _range(expected: Expected | WholeNumbers | None) -> str:
    if not isinstance(expected, WholeNumbers):
        return ""
    low, high = expected.low[0], expected.high[0]
    fitting = [value for value in range(low, high + 1) if value % expected.multiple_of == 0]
    return str(fitting[0]) if len(fitting) == 1 else f"{fitting[0]} .. {fitting[-1]}"


def _base(name: str) -> str:
    """A name without which of several answers it is."""
    return name.partition(" (")[0].partition(":")[0]


def _short(value: Any) -> str:
    return str(list(value.shape)) if isinstance(value, Tensor) else str(value)
