"""A graded class: its field names are the contract with exports and pages, published as ``summary.schema.json``."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.errors import Outcome
from grader.report import files
from grader.report.models import Environment

SCHEMA_FILE = "summary.schema.json"
SUMMARY_FILE = "summary.json"
_SCHEMA_ID = "https://assignment1-grader.invalid/summary-1.schema.json"

State = Literal["graded", "infrastructure", "unreadable", "missing"]
"""How a submission ended: with a score; not graded through our fault; nothing in it could be graded; not handed in."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Student(_Model):
    """Whose submission it is, from the roster and from the learning platform's names. Unknown fields are empty.

    Attributes:
        id: the roster's, else what the layout knows: a user name, a number, the folder's name.
        name: the whole name, as the roster or the platform writes it.
        lms_id: the number or user name that the platform put into the file's name.
        in_roster: None without a roster.
        extra: the roster's other columns.
    """

    id: str
    name: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    section: str = ""
    lms_id: str = ""
    in_roster: bool | None = None
    extra: dict[str, str] = Field(default_factory=dict)


class Attempt(_Model):
    """One thing that was handed in.

    Attributes:
        source: its path in INPUT with forward slashes, as the platform named it; archives in archives likewise.
        timestamp: when it was handed in, ISO 8601, when its name or its archive says so.
        late: whether the platform marked it late.
    """

    source: str
    timestamp: str | None = None
    late: bool = False


class CheckColumn(_Model):
    """One check of the assignment: what is the same for everybody."""

    id: str
    section: str
    title: dict[str, str]
    advice: bool
    hidden: bool
    max_points: int


class CheckCell(_Model):
    """How one submission did in one check.

    Attributes:
        mistakes: ids of the mistakes that explain it.
        message: id of the finding's message; None when there is none.
    """

    id: str
    outcome: Outcome
    points: int
    max_points: int
    mistakes: list[str] = Field(default_factory=list)
    message: str | None = None


class Entry(_Model):
    """One student, or one submission without a known student.

    Attributes:
        id: names its folder below ``reports/``; letters, digits, ``.``, ``_`` and ``-`` only, and unique whatever the
            case of letters.
        digest: of the sources, as in the report; None when there are none.
        score: None unless ``state`` is ``graded``.
        mistakes: ids of the named mistakes; their sentences stand in ``Summary.mistakes``.
        report: path of report.json from the run's folder, with forward slashes; None when there is none.
        page: likewise, of report.html.
        seconds: what grading took; 0 when it did not happen.
        reason: why there is no grade, by language; None for ``graded``.
        detail: what a program or a person of ours needs to know about it: an exception, the engine's own words.
        tries: how often grading began; more than one after trouble that was ours.
        notes: what was said about it besides, by language: another attempt, a student who is not in the roster.
    """

    id: str
    student: Student
    attempt: Attempt | None = None
    other_attempts: list[Attempt] = Field(default_factory=list)
    state: State
    digest: str | None = None
    score: int | None = None
    max_score: int
    checks: list[CheckCell] = Field(default_factory=list)
    mistakes: list[str] = Field(default_factory=list)
    report: str | None = None
    page: str | None = None
    seconds: float = 0.0
    reason: dict[str, str] | None = None
    detail: str | None = None
    tries: int = 0
    notes: list[dict[str, str]] = Field(default_factory=list)


class Health(_Model):
    """How the run itself went.

    Attributes:
        started: ISO 8601, UTC.
        seconds: from the first to the last submission, over all starts of a resumed run.
        engine: ``slots`` of this machine, ``dask``, or ``merged``.
        resumed: submissions that an earlier start had finished.
        regraded: of these, those of which some checks were run again.
        retries: tries beyond the first, of all submissions together.
        quarantined: ids of submissions that were given up after trouble of ours.
        starts: how often the run was started.
    """

    started: str
    seconds: float
    jobs: int
    engine: str = "slots"
    resumed: int = 0
    regraded: int = 0
    retries: int = 0
    quarantined: list[str] = Field(default_factory=list)
    starts: int = 1


class Shard(_Model):
    """The part of a class that one of several machines graded: number ``index`` of ``count``, from 1."""

    index: int
    count: int


class Summary(_Model):
    """One run over a class.

    Attributes:
        assignment: its title.
        assignment_digest: of the settings; two runs with one digest asked for the same.
        input: the name of INPUT, without its folder.
        layout: ``folder``, ``canvas``, ``moodle``, ``blackboard`` or ``regex``.
        environment: where it was graded; of the first shard in a merged run.
        checks: the assignment's checks in the catalogue's order.
        mistakes: the sentence of every mistake that was named, by id and language.
        submissions: by id.
        skipped: what lies in INPUT and is no submission, with the reason by language.
        shard: None when this is the whole class.
    """

    schema_version: Literal[1] = 1
    assignment: str
    assignment_digest: str
    input: str
    layout: str
    seed: int
    runner: str
    trusted: bool
    isolation: str
    device: str
    environment: Environment
    max_score: int
    checks: list[CheckColumn]
    mistakes: dict[str, dict[str, str]] = Field(default_factory=dict)
    submissions: list[Entry]
    skipped: dict[str, dict[str, str]] = Field(default_factory=dict)
    shard: Shard | None = None
    health: Health

    def in_state(self, state: State) -> list[Entry]:
        """The submissions that ended so."""
        return [entry for entry in self.submissions if entry.state == state]


def to_json(summary: Summary) -> str:
    """The summary as JSON that ``from_json`` reads back."""
    return summary.model_dump_json(indent=1) + "\n"


def from_json(text: str) -> Summary:
    """Read a summary. Raises ValueError (pydantic's ValidationError is one) for anything that is not one."""
    return Summary.model_validate_json(text)


def write(summary: Summary, folder: Path) -> None:
    """Write ``summary.json`` into a run's folder, atomically. Raises OSError."""
    files.write(to_json(summary), folder / SUMMARY_FILE)


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what ``to_json`` writes."""
    generated = Summary.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": _SCHEMA_ID, **generated}


def published_schema() -> dict[str, Any]:
    """The schema file that comes with the package; a test holds it equal to ``schema()``."""
    loaded: dict[str, Any] = json.loads(resources.files("grader.report").joinpath(SCHEMA_FILE).read_text("utf-8"))
    return loaded
