"""What tests of exports share: a report with everything in it, a run on disk, every format of one report as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import made_reports as made

from grader.errors import Outcome
from grader.exports import classroom50, ctrf, github, gradescope, junit, markdown, prairielearn
from grader.exports.source import Run, read_run
from grader.report import json_file, summary
from grader.report.models import Frame, Report

SECRETS = ("rope.secret", "The secret promise", "secret numbers", "secret_mistake", "Secret mistake", "secret_file")


def whole_report(**changes: object) -> Report:
    """Two points of four open ones, one of four hidden ones; what is hidden is full of ``SECRETS``."""
    frame = Frame(file="assignment1/rope.py", line=12, function="apply_rope", text="return x * cos")
    secret_frame = Frame(file="secret_file.py", line=1, function="f", text="pass")
    checks = [
        made.check_result("norm.values", section="4.1"),
        made.check_result(
            "rope.base",
            Outcome.FAIL,
            finding=made.finding(
                "It differs at [0, 1]: expected 1, got 2.",
                [frame],
                case="random",
                arguments={"name": "apply_rope"},
                mistakes=["rope.half_split"],
                evidence={"where: tokens": "from 1 on", "largest": 0.5},
            ),
        ),
        made.check_result(
            "gqa.cache",
            Outcome.CARRIED_FORWARD,
            section="4.7",
            finding=made.finding("Because of rope.", arguments={"name": "gqa"}),
        ),
        made.check_result("gqa.heads", Outcome.BLOCKED, section="4.7", max_points=0),
        made.check_result("gqa.device", Outcome.SKIPPED, section="4.7", max_points=0),
        made.check_result(
            "advice.style",
            Outcome.FAIL,
            advice=True,
            max_points=0,
            finding=made.finding("Cast once.", arguments={"name": "norm"}),
        ),
        made.check_result(
            "rope.secret",
            Outcome.TIMEOUT,
            hidden=True,
            title={"en": "The secret promise", "zh": "The secret promise"},
            finding=made.finding("secret numbers", [secret_frame], mistakes=["rope.secret_mistake"]),
        ),
        made.check_result("rope.secret-too", hidden=True, max_points=1),
    ]
    mistakes = [
        made.mistake("rope.half_split", "rope.base", "gqa.cache", "rope.secret"),
        made.mistake("rope.secret_mistake", "rope.secret", text="Secret mistake."),
    ]
    return made.make_report(*checks, **{"mistakes": mistakes, **changes})


def not_graded() -> Report:
    """The grader's own failure, after some checks were done."""
    checks = [made.check_result("norm.values"), made.check_result("rope.base", Outcome.NOT_RUN)]
    return made.make_report(*checks, error="the engine stopped")


def write_run(folder: Path, report: Report, graded: list[str], **changes: object) -> Run:
    """A run on disk: these students with ``report``, and one of each other state."""
    entries = [made.entry_of(report, id) for id in graded]
    others = [made.ungraded(f"{state}-1", state) for state in ("infrastructure", "unreadable", "missing")]
    for entry in entries:
        place = folder / "reports" / entry.id
        place.mkdir(parents=True)
        json_file.write(report, place / "report.json")
        (place / "report.html").write_text(f"<p>page of {entry.id}</p>", "utf-8")
    values = {"submissions": [*entries, *others], **changes}
    summary.write(made.make_summary(report, **values), folder)
    return read_run(folder)


RUNNER = {
    "CLASSROOM": "c1",
    "ASSIGNMENT": "a1",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/1",
    "RELEASE_URL": "https://example.org/release/1",
    "REVIEW_URL": "https://example.org/compare/1",
}
"""What Classroom 50's runner puts into the environment."""


def as_json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1)


TEXTS: dict[str, Callable[[Report, str], str]] = {
    "gradescope": lambda report, language: as_json(gradescope.values(report, language)),
    "prairielearn": lambda report, language: as_json(prairielearn.values(report, language)),
    "classroom50": lambda report, language: as_json(classroom50.values(report, language, RUNNER)),
    "junit": junit.to_text,
    "ctrf": ctrf.to_text,
    "github-summary": markdown.to_markdown,
    "annotations": lambda report, language: "\n".join(github.log_lines(report, language)),
}
