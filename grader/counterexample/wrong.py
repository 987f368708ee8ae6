"""How an answer is wrong, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from grader.counterexample.steps import Steps
from grader.errors import CheckFailure
from grader.numerics.answer import Answer

_VISIBLE = 0.005
_FORMS = ("values.dtype", "values.shape", "values.not-finite", "values.changing-form")


@dataclass(frozen=True)
class Kind:
    """How a submission is wrong.

    Attributes:
        message: id of the failure's message.
        op: of the step that failed.
        name: what that step calls.
        raised: type of the exception, where one was raised.
        gross: by more than bf16 arithmetic inside could explain.
    """

    message: str
    op: str
    name: str
    raised: str | None = None
    gross: bool = False

    @property
    def of_form(self) -> bool:
        """Whether it is about shape, dtype or NaN, and no values are compared."""
        return self.message in _FORMS

    def is_same(self, other: Kind) -> bool:
        """Whether a smaller case is wrong in this way."""
        return self.is_same_message(other) and (self.op, self.name) == (other.op, other.name)

    def is_same_message(self, other: Kind) -> bool:
        """Whether the report says the same of both."""
        # consecutive calls of different forms are told call by call here
        changing = {self.message, other.message} <= {"values.shape", "values.dtype", "values.changing-form"}
        alike = self.message == other.message or (changing and "values.changing-form" in (self.message, other.message))
        return alike and self.raised == other.raised


@dataclass(frozen=True)
class Wrong:
    """The first wrong answer.

    Attributes:
        index: of the step.
        failure: what is wrong with it.
        part: which of several answers of the step: ``cos``, ``keys``, what a gradient belongs to, or an argument.
        given: what came back; None where nothing did.
        right: what a right program answers; None where that is no tensor.
        state: parameters that the module trains, by name; for a failed ``state``.
        numbers: right whole numbers, as the message says them.
    """

    index: int
    failure: CheckFailure
    part: str = "result"
    given: Tensor | None = None
    right: Answer | None = None
    state: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    numbers: str = ""

    def kind(self, steps: Steps, *, gross: bool) -> Kind:
        """In short."""
        step = steps[self.index]
        raised = self.failure.arguments.get("type") if self.failure.message == "call.raised" else None
        return Kind(self.failure.message, step.op, step.name, None if raised is None else str(raised), gross)


def is_visible(wrong: Wrong) -> bool:
    """Whether a wrong number is another one in four decimal places."""
    if wrong.given is None or wrong.right is None or wrong.given.shape != wrong.right.truth.shape:
        return True
    return bool(((wrong.given.double() - wrong.right.truth).abs() > _VISIBLE).any())


def is_gross(wrong: Wrong) -> bool:
    """Whether bf16 arithmetic inside could not explain it."""
    if wrong.failure.message != "values.differ" or wrong.given is None or wrong.right is None:
        return False
    try:
        wrong.right.coarse().accepts(wrong.given, any_dtype=True)
    except CheckFailure:
        return True
    return False
