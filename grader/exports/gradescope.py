"""Gradescope's ``results.json`` (gradescope-autograders.readthedocs.io/en/latest/specs).

* Text formats are ``text``: Gradescope then shows words as words, whatever they are.
* Every test is visible: one that is not shown yet hides the total from students.
* ``status`` is always given: Gradescope shows 0 of 0 points as passed.
* There is no way to say "not graded": without results.json Gradescope says that the autograder failed, and gives no
  score. A ``tests`` list without points would count as zero.
"""

from __future__ import annotations

from typing import Any

from grader.exports import told
from grader.exports.told import Kind, Told
from grader.report.models import Report
from grader.report.student_view import for_students

_MOST_OUTPUT = 20_000


def values(report: Report, language: str) -> dict[str, Any]:
    """What results.json holds; ``report`` is graded."""
    report = for_students(report)
    return {
        "score": report.score,
        "execution_time": round(told.duration(report.timing.total)),
        "output": "\n".join(told.overview(report, language)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",  # the submission may have printed anything
        "extra_data": {
            "grader": report.environment.grader,
            "grader_digest": report.environment.grader_digest,
            "submission_digest": report.submission.digest,
            **({} if report.seed is None else {"seed": report.seed}),
            "trusted": report.trusted,
        },
        "tests": [_test(one, number) for number, one in enumerate(told.checks(report, language), 1)],
    }


def _test(one: Told, number: int) -> dict[str, Any]:
    failed = one.kind in (Kind.FAILED, Kind.BLOCKED, Kind.ADVICE)
    return {
        "name": one.title if one.hidden else f"{one.name}: {one.title}",
        "number": f"{one.section}.{number}",
        "score": one.points,
        "max_score": one.max_points,
        "status": "failed" if failed else "passed",
        "output": told.shortened([one.text], _MOST_OUTPUT),
        "tags": [one.section, one.area, one.outcome],
        "visibility": "visible",
    }
