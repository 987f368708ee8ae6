"""The JSON report: its field names are the contract with instructors' scripts, published as ``report.schema.json``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, computed_field

from grader.errors import EARNING, Outcome
from grader.pictures import Picture
from grader.report.base import Model
from grader.report.example import CounterExample

Plain = int | float | str | bool | None | list[int]


class Frame(Model):
    """One line of the student's own code in a traceback."""

    file: str
    line: int
    function: str
    text: str


class Finding(Model):
    """Why a check did not pass.

    Attributes:
        message: id in the feedback catalogue.
        arguments: what its placeholders stand for.
        text: the sentence by language.
        case: which input of the check, when it has several.
        evidence: numbers for machines.
        frames: the student's traceback, innermost last.
        mistakes: ids of the known mistakes that explain the answers; empty: none is known that does.
        pictures: what can be drawn of the wrong answer; none for a hidden check.
        example: numbers to redo by hand; none for a hidden check, for advice, and where no call shows the fault.
        expected: what a right program does here, by language.
        got: what this one did.
        where: the place in the answer or in the code.
        why: the mistakes in words, what kept it from running, or that it is unknown.
        next: what to do now.
        device: where it was found, when the submission was asked on several devices.
    """

    message: str
    arguments: dict[str, Plain]
    text: dict[str, str]
    case: str | None = None
    evidence: dict[str, Plain] = Field(default_factory=dict)
    frames: list[Frame] = Field(default_factory=list)
    mistakes: list[str] = Field(default_factory=list)
    pictures: list[Annotated[Picture, Field(discriminator="kind")]] = Field(default_factory=list)
    example: CounterExample | None = None
    expected: dict[str, str] = Field(default_factory=dict)
    got: dict[str, str] = Field(default_factory=dict)
    where: dict[str, str] = Field(default_factory=dict)
    why: dict[str, str] = Field(default_factory=dict)
    next: dict[str, str] = Field(default_factory=dict)
    device: str | None = None


class CheckResult(Model):
    """One check's verdict.

    Attributes:
        carried_from: parts of the submission with a mistake without a name, around which this check's code is right.
        blocked_by: what this check's code calls and what does not run at all.
        hints: how much students see of a failure: 1 the symptom, 2 the mistake by name too, 3 numbers too.
        devices: the outcome on each device, where the submission was asked on several; ``outcome`` is PASS only when
            none of them objects.
    """

    id: str
    section: str
    title: dict[str, str]
    advice: bool
    hidden: bool
    hints: Literal[1, 2, 3] = 3
    max_points: int
    outcome: Outcome = Outcome.NOT_RUN
    carried_from: list[str] = Field(default_factory=list)
    blocked_by: list[str] = Field(default_factory=list)
    finding: Finding | None = None
    devices: dict[str, Outcome] = Field(default_factory=dict)

    @computed_field  # type: ignore[prop-decorator]  # pydantic's order, which mypy does not know
    @property
    def points(self) -> int:
        """All or nothing."""
        return self.max_points if self.outcome in EARNING else 0

    @property
    def is_graded(self) -> bool:
        """Whether it counts: no advice, and not skipped for want of a device."""
        return not self.advice and self.outcome is not Outcome.SKIPPED

    @property
    def objects(self) -> bool:
        """Whether it found something, carried forward or blocked included."""
        return self.outcome not in (Outcome.PASS, Outcome.SKIPPED)


class NamedMistake(Model):
    """A known mistake that explains failed checks.

    Attributes:
        text: the mistake in one sentence, by language.
        checks: the failed checks that it explains, alone or with others.
    """

    id: str
    text: dict[str, str]
    checks: list[str]


class SubmissionNote(Model):
    """Something about how the submission was read that its author should know.

    Attributes:
        message: id in the feedback catalogue.
        text: the sentence by language.
    """

    message: str
    text: dict[str, str]


class Submission(Model):
    """What was graded.

    Attributes:
        digest: SHA-256 over the paths and texts of the files that were read.
        files: their paths.
        skipped: what was found and not read; a folder ends with a slash.
        notes: what was read in another way than its author may expect.
    """

    name: str
    digest: str
    files: list[str]
    skipped: list[str]
    notes: list[SubmissionNote] = Field(default_factory=list)


class Environment(Model):
    """Where it was graded: what may explain a difference between two reports."""

    grader: str
    grader_digest: str
    python: str
    torch: str
    platform: str
    cpu_capability: str
    threads: int


class Timing(Model):
    """All that may differ between two runs of one seed. Seconds."""

    started: str
    total: float
    diagnosis: float
    checks: dict[str, float]


class Report(Model):
    """One graded submission.

    Attributes:
        graded: every selected check has a verdict; otherwise there is no score, and ``error`` says why.
        device: where the submission's tensors lived; several with commas between.
        seed: of all inputs; None in what students see when some checks are hidden.
        selected: ids that ``--only`` asked for; empty when everything ran.
        trusted: whether the runner isolates student code from whoever reads this.
        only_at_grading: how many checks of the course are not in the student kit that made this report.
        naming_error: why mistakes could not be named, which is the grader's fault and costs no points.
        examples_error: why counter-examples are missing, which is the grader's fault and costs no points.
        isolation: what stood between the submission and the machine.
        trust: why it is trusted or not, in one sentence, by language.
    """

    schema_version: Literal[1] = 1
    assignment: str
    submission: Submission
    environment: Environment
    runner: str
    trusted: bool
    isolation: Literal["in-process", "plain", "user", "bubblewrap", "container"]
    trust: dict[str, str]
    device: str
    seed: int | None
    selected: list[str]
    only_at_grading: Annotated[int, Field(ge=0)] = 0
    error: str | None = None
    mistakes: list[NamedMistake]
    naming_error: str | None = None
    examples_error: str | None = None
    checks: list[CheckResult]
    timing: Timing

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def graded(self) -> bool:
        """False when the grader itself failed: then nothing here is a grade."""
        unfinished = (Outcome.NOT_RUN, Outcome.GRADER_ERROR)
        return self.error is None and not any(check.outcome in unfinished for check in self.checks)

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def score(self) -> int | None:
        """Sum of the checks' points; None when not graded."""
        return sum(check.points for check in self.checks) if self.graded else None

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def max_score(self) -> int:
        """Points of a right submission."""
        return sum(check.max_points for check in self.checks)
