"""Classroom 50's ``result.json``, version 1: whole points, and names with hyphens.

Its runner puts six facts into the environment; ``owner``, ``assignment_type`` and ``graded_at`` it stamps itself. What
is not graded gets no file: the runner then makes an error of its own from the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from grader.errors import UsageError
from grader.exports import told
from grader.exports.told import Kind, Told
from grader.report.models import Report

SCHEMA = "classroom50/result/v1"
VARIABLES = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}
_MOST_MESSAGE = 4000
_TAG = re.compile(r"submit/(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(?:-|$)")


def values(report: Report, language: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """What result.json holds; ``report`` is graded.

    Raises:
        UsageError: a variable of the runner's is missing.
    """
    facts = {name: environment.get(variable, "") for name, variable in VARIABLES.items()}
    facts["review"] = facts["review"] or facts["commit"]  # a first submission has nothing to compare with
    missing = [VARIABLES[name] for name, value in facts.items() if not value]
    if missing:
        raise UsageError(f"classroom50 needs what its runner puts into the environment; missing: {', '.join(missing)}")
    return {
        "schema": SCHEMA,
        **facts,
        "datetime": _submitted(facts["submission"]) or _utc(report.timing.started),
        "score": report.score,
        "max-score": report.max_score,
        "tests": [_test(one) for one in told.checks(report, language)],
    }


def _test(one: Told) -> dict[str, Any]:
    return {
        "test-name": f"{one.name}: {one.title}",
        "passed": one.kind in (Kind.PASSED, Kind.SKIPPED),
        "score": one.points,
        "max-score": one.max_points,
        "section": one.section,
        "outcome": one.outcome,
        "message": told.shortened([one.text], _MOST_MESSAGE),
    }


def _submitted(tag: str) -> str | None:
    """When it was handed in, from the tag's name: grading again must not make a submission late."""
    found = _TAG.match(tag)
    return f"{found[1]}T{found[2]}:{found[3]}:{found[4]}Z" if found else None


def _utc(started: str) -> str:
    """The report's time as Classroom 50 writes it. Raises UsageError."""
    try:
        moment = datetime.fromisoformat(started.replace("Z", "+00:00"))  # Python 3.10 does not read the Z
    except ValueError:
        raise UsageError(f"the report's timing.started is no time: {started!r}") from None
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
