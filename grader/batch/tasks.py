"""What goes to the process that grades one submission, and what comes back: JSON, so that it may be another machine."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from grader.devices import needs_gpu
from grader.errors import Outcome
from grader.intake.submission import Note, SubmissionFiles
from grader.report.models import Environment, Report
from grader.report.summary import CheckCell


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class TaskNote(_Message):
    """A note of the submission's."""

    message: str
    arguments: dict[str, str | int]


class Task(_Message):
    """Grade one submission.

    Attributes:
        settings: the assignment's, as JSON.
        selected: ids of checks; None: all.
        page: make the page too.
        seconds: after that the process that grades is taken for broken.
    """

    name: str
    files: dict[str, str]
    skipped: list[str] = Field(default_factory=list)
    notes: list[TaskNote] = Field(default_factory=list)
    settings: str
    seed: int
    device: str = "cpu"
    runner: str = "local"
    selected: list[str] | None = None
    naming: bool = True
    page: bool = True
    language: str = "en"
    seconds: float

    def submission(self) -> SubmissionFiles:
        """What is to be graded."""
        notes = tuple(Note(note.message, note.arguments) for note in self.notes)
        return SubmissionFiles(self.name, self.files, tuple(self.skipped), notes)


class Result(_Message):
    """One graded submission, or why there is none.

    Attributes:
        error: why it is no grade; trouble of ours.
        report: report.json's text.
        page: report.html's text.
        mistakes: their sentences by id and language.
        memory: of the process that graded, at its largest so far; bytes.
    """

    error: str | None = None
    digest: str = ""
    score: int | None = None
    cells: list[CheckCell] = Field(default_factory=list)
    mistakes: dict[str, dict[str, str]] = Field(default_factory=dict)
    environment: Environment | None = None
    trusted: bool = False
    isolation: str = ""
    report: str = ""
    page: str | None = None
    seconds: float = 0.0
    memory: int = 0


def task_of(submission: SubmissionFiles, **fields: object) -> Task:
    """A task for a submission; ``fields`` are Task's others."""
    return Task.model_validate(
        {
            "name": submission.name,
            "files": dict(submission.files),
            "skipped": list(submission.skipped),
            "notes": [{"message": note.message, "arguments": dict(note.arguments)} for note in submission.notes],
            **fields,
        }
    )


def result_of(report: Report, text: str, page: str | None) -> Result:
    """What the class needs to know of a report."""
    return Result(
        error=report.error if report.graded else report.error or "some checks have no verdict",
        digest=report.submission.digest,
        score=report.score,
        cells=cells_of(report),
        mistakes={mistake.id: mistake.text for mistake in report.mistakes},
        environment=report.environment,
        trusted=report.trusted,
        isolation=report.isolation,
        report=text,
        page=page,
        seconds=report.timing.total,
    )


def cells_of(report: Report) -> list[CheckCell]:
    """How it did, check by check."""
    return [
        CheckCell(
            id=check.id,
            outcome=check.outcome,
            points=check.points,
            max_points=check.max_points,
            mistakes=[] if check.finding is None else check.finding.mistakes,
            message=None if check.finding is None else check.finding.message,
        )
        for check in report.checks
        if not (needs_gpu(check.id) and check.outcome is Outcome.SKIPPED)  # a class without a GPU has no column for it
    ]
