"""What a run over a class knows: what is the same for everybody, how it goes, and what is being graded."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.batch.digests import GraderDigests
from grader.batch.entries import Planned
from grader.batch.touched import Touched
from grader.errors import GraderError
from grader.intake.submission import SubmissionFiles
from grader.report.models import Report
from grader.settings import Settings


class StoppedEarly(GraderError):
    """The run cannot go on; what is finished is safe."""


@dataclass(frozen=True)
class RunSettings:
    """What is the same for every submission of a run."""

    settings: Settings
    digests: GraderDigests
    seed: int
    runner: str
    device: str
    language: str
    page: bool
    max_score: int
    has_roster: bool


@dataclass
class Counts:
    """How the run is going."""

    resumed: int = 0
    regraded: int = 0
    retries: int = 0
    quarantined: list[str] = field(default_factory=list)
    slot_memory: int = 0


@dataclass
class Open:
    """A submission that is being graded."""

    plan: Planned
    submission: SubmissionFiles
    digest: str
    change: Touched | None = None
    old: Report | None = None
    tries: int = 0
