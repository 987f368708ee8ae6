"""What a key holds of one case of a check: the chance that it drew, and the oracle's answers in order."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from grader.key.flat import Ref


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordedAnswer(_Model):
    """An ``Answer``.

    Attributes:
        limit: None where the check never compares values.
    """

    truth: Ref
    limit: Ref | None
    dtype: str
    axes: str
    name: str
    positions: Ref | None = None
    pairs: bool = False


class RecordedNumbers(_Model):
    """``WholeNumbers``."""

    low: list[int]
    high: list[int]
    name: str
    multiple_of: int


class RecordedCall(_Model):
    """One question to the oracle, and what it said.

    Attributes:
        method: of ``Oracle``.
        answers: in the order of the result; gradients by name in ``sources``.
    """

    method: str
    answers: list[RecordedAnswer] = []
    sources: list[str] = []
    numbers: RecordedNumbers | None = None


class RecordedDesign(_Model):
    """A designed input; without a module it is a tensor alone."""

    x: Ref
    name: str = ""
    arguments: dict[str, int | float] = {}
    weights: dict[str, Ref] = {}
    expected: Ref | None = None
    first: int = 0


class RecordedCase(_Model):
    """Everything of one case.

    Attributes:
        chance: what its stream gave, in order.
        designs: its designed inputs, in order.
        calls: of the oracle, in order.
    """

    chance: list[Ref] = []
    designs: list[RecordedDesign] = []
    calls: list[RecordedCall] = []
