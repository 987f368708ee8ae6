"""Every exception that the grader raises on purpose, and how a check can end.

* GraderError                the grader's own fault: no score may be given
  x RunnerUnavailable        a worker could not be started
* UsageError                 the caller's fault: no such folder, unknown check, bad settings
  x SubmissionError          there is nothing to grade in what was handed in
* CheckFailure               the submission's fault: shown to the student, costs the check
  x WorkerLost               the worker ended or was ended during a call (timeout, crash, ...)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum


class Outcome(str, Enum):
    """How a check ended.

    Only PASS and CARRIED_FORWARD earn points; NOT_RUN is where every check starts, so silence never scores.
    """

    PASS = "pass"  # noqa: S105 - not a password
    CARRIED_FORWARD = "carried_forward"
    FAIL = "fail"
    STUDENT_ERROR = "student_error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OOM = "oom"
    OUTPUT_LIMIT = "output_limit"
    PROTOCOL = "protocol"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    NOT_RUN = "not_run"
    GRADER_ERROR = "grader_error"

    def __str__(self) -> str:
        return self.value


EARNING = (Outcome.PASS, Outcome.CARRIED_FORWARD)
"""What earns a check's points: right, or wrong only through a mistake that another check takes points for."""

ANSWERED = (Outcome.FAIL, Outcome.STUDENT_ERROR)
"""Failures after which the submission still answers: the worker was not lost."""


class GraderError(Exception):
    """The grader could not do its work; whatever the submission did, it gets no score."""


class RunnerUnavailable(GraderError):
    """The runner could not start a worker."""


class UsageError(Exception):
    """The caller asked for something that cannot be done; the message is one sentence."""


class SubmissionError(UsageError):
    """What was handed in holds nothing that can be graded."""


class CheckFailure(AssertionError):
    """A check found the submission wrong.

    Args:
        message: id of a message in the feedback catalogue, e.g. ``values.differ``.
        outcome: how the check ends.
        evidence: numbers for machines: counts, indices, errors in units of the bound.
        frames: the student's own traceback frames, innermost last.
        pictures: of ``grader.pictures``, which this file does not need to know.
        arguments: what the message's placeholders stand for.
    """

    def __init__(
        self,
        message: str,
        *,
        outcome: Outcome = Outcome.FAIL,
        evidence: Mapping[str, object] | None = None,
        frames: list[dict[str, object]] | None = None,
        pictures: Sequence[object] = (),
        **arguments: object,
    ) -> None:
        super().__init__(f"{message} {arguments}")
        self.message, self.outcome, self.arguments = message, outcome, arguments
        self.evidence, self.frames, self.pictures = dict(evidence or {}), frames or [], list(pictures)


class WorkerLost(CheckFailure):
    """The worker is gone; the next check gets a new one."""
