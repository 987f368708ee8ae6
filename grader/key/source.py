"""Inputs, answers and names of a run with an answer key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.errors import GraderError
from grader.key.cases import RecordedCase
from grader.key.inputs import RecordedChance, RecordedDesigns
from grader.key.oracle import KeyedOracle
from grader.key.reader import Key
from grader.numerics.inputs import Inputs
from grader.source import label

if TYPE_CHECKING:  # needed after a failure only
    from grader.diagnosis.records import CheckRecord
    from grader.key.signatures import Signatures


class KeyedSource:
    """See ``source.Source``."""

    def __init__(self, key: Key) -> None:
        self._key = key

    @property
    def only_at_grading(self) -> int:
        """See Source.only_at_grading."""
        return self._key.facts.hidden_checks

    def draw(self, check: str, case: str) -> Inputs:
        """See Source.draw."""
        recorded = self._case(check, case)
        designs = RecordedDesigns(self._key.flat, recorded.designs)
        return Inputs(RecordedChance(self._key.flat, recorded.chance), designs)

    def oracle(self, check: str, case: str) -> KeyedOracle:
        """See Source.oracle."""
        return KeyedOracle(self._key.flat, self._case(check, case).calls)

    def agreements(self) -> Signatures:
        """See Source.agreements."""
        from grader.key.signatures import Signatures

        return Signatures(self._key)

    def around_parts(
        self, records: Sequence[CheckRecord], explained: Mapping[str, object], lend: Callable[[], Any]
    ) -> dict[str, list[str]]:
        """Nothing: a right whole around the submission's own part would be a solution."""
        return {}

    def _case(self, check: str, case: str) -> RecordedCase:
        found = self._key.cases.get(label(check, case))
        if found is None:
            raise GraderError(f"the answer key has nothing for {check} [{case}]")
        return found
