"""The programs of ours that a submission is compared with, and what is kept of their answers for a class."""

from __future__ import annotations

from typing import NamedTuple

from grader.counterexample.foreseen import Foreseen
from grader.oracle.kept import KeptAnswers
from grader.oracle.live import Oracle

_MOST_BYTES = 4 << 20


class Programs(NamedTuple):
    """What the search of one submission asks besides the submission.

    Attributes:
        oracle: what is right.
        foreseen: what programs with mistakes answer.
    """

    oracle: Oracle
    foreseen: Foreseen


class KeptPrograms:
    """Their answers to the small cases of a class: the same cases come again with every submission."""

    def __init__(self) -> None:
        self._answers, self._foreseen = KeptAnswers(_MOST_BYTES), Foreseen(_MOST_BYTES)

    def of(self, seed: int) -> Programs:
        """For a submission.

        Args:
            seed: of the noise that measures bounds.
        """
        return Programs(self._answers.oracle(seed), self._foreseen)
