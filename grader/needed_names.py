"""Which of the contract's names each check calls.

Seen by running the checks on a right program of our own, so there is no table that could be out of date.
"""

from __future__ import annotations

from grader.diagnosis.program import Program
from grader.errors import GraderError
from grader.intake.submission import SubmissionFiles
from grader.report.models import CheckResult
from grader.runners.in_process import InProcessRunner
from grader.session import grade
from grader.settings import Settings


def names_by_check(settings: Settings) -> dict[str, frozenset[str]]:
    """The names by check id; under a second.

    Raises:
        GraderError: the checks could not be run.
    """
    runner, found = InProcessRunner(Program().find), dict[str, frozenset[str]]()

    def note(result: CheckResult) -> None:
        found[result.id] = runner.take_called()

    report = grade(SubmissionFiles("a right program", {}), runner, settings, seed=0, on_result=note)
    if not report.graded:
        raise GraderError(report.error or "a check has no verdict")
    return found
