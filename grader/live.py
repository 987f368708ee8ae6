"""Inputs, answers and names from the reference and the models of mistakes, with any seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
from grader.source import label

if TYPE_CHECKING:  # models of mistakes are imported after a failure only
    from grader.diagnosis.records import CheckRecord
    from grader.diagnosis.replay import Replays


class LiveSource:
    """See ``source.Source``.

    Args:
        seed: of all inputs of the run.
    """

    only_at_grading = 0

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def draw(self, check: str, case: str) -> Draw:
        """See Source.draw."""
        return Draw(self._seed, label(check, case))

    def oracle(self, check: str, case: str) -> Oracle:
        """See Source.oracle."""
        return Oracle(Draw(self._seed, f"{label(check, case)} noise").seed)

    def agreements(self) -> Replays:
        """See Source.agreements."""
        from grader.diagnosis.replay import Replays

        return Replays()

    def around_parts(
        self, records: Sequence[CheckRecord], explained: Mapping[str, object], lend: Callable[[], Any]
    ) -> dict[str, list[str]]:
        """See Source.around_parts."""
        from grader.diagnosis.borrowed import right_around_own_parts

        return right_around_own_parts(records, explained, lend)
