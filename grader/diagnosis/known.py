"""What the search needs to know of mistakes, wherever it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from grader.diagnosis.agreement import Agreement
from grader.diagnosis.records import CheckRecord


class Known(Protocol):
    """A mistake that has a name; ``mistakes.registry.Mistake`` says what the attributes are."""

    @property
    def id(self) -> str: ...  # noqa: D102 - as there
    @property
    def part(self) -> str: ...  # noqa: D102 - as there
    @property
    def sentence(self) -> str: ...  # noqa: D102 - as there
    @property
    def is_lasting(self) -> bool: ...  # noqa: D102 - as there


class Agreements(Protocol):
    """How well programs with known mistakes would have given a submission's answers.

    Attributes:
        known: every mistake by id.
    """

    @property
    def known(self) -> Mapping[str, Known]: ...  # noqa: D102 - above

    def of(self, record: CheckRecord, mistakes: Sequence[Known]) -> Agreement:
        """In one check; no mistakes: a right program."""
        ...

    def in_order(self, records: Sequence[CheckRecord], mistakes: Sequence[Known]) -> Sequence[Agreement]:
        """In each of these checks, in their order, where a mistake remembers what earlier checks asked."""
        ...
