"""PrairieLearn's ``/grade/results/results.json`` (docs.prairielearn.com/externalGrading): at most 1 MB.

``gradable: false`` costs a student no attempt and no points: so is everything that has no grade.
"""

from __future__ import annotations

import json
from typing import Any

from grader.exports import told
from grader.exports.told import Told
from grader.exports.words import say
from grader.report.models import Report
from grader.report.student_view import for_students

MOST_BYTES = 1_000_000
_ROOMS = (20_000, 4_000, 1_000, 200, 0)
"""Characters for a test's output: the largest of these with which the file is small enough is taken."""


def values(report: Report, language: str) -> dict[str, Any]:
    """What results.json holds."""
    report = for_students(report)
    lines = told.overview(report, language)
    if report.score is None:
        return {"gradable": False, "message": lines[0], "format_errors": [told.shortened(lines, 2000)]}
    if report.max_score == 0:
        return {"gradable": False, "message": lines[0], "format_errors": [say("nothing_to_earn", language)]}
    shown = told.checks(report, language)
    score = report.score / report.max_score
    sizes = (_values(score, lines, shown, room, language) for room in _ROOMS)
    return next(one for one in sizes if _bytes(one) <= MOST_BYTES or one["tests"] == [])


def _values(score: float, lines: list[str], shown: list[Told], room: int, language: str) -> dict[str, Any]:
    """With outputs of at most ``room`` characters; without room, the tests' names and points at the most."""
    note = [] if room == _ROOMS[0] else [say("shortened", language)]
    tests = [_test(one, room) for one in shown]
    whole = {
        "gradable": True,
        "score": score,
        "message": lines[0],
        "output": told.shortened([*note, *lines[1:]], 20_000),
        "tests": tests,
    }
    return whole if room or _bytes(whole) <= MOST_BYTES else {**whole, "tests": []}


def _test(one: Told, room: int) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": told.shortened([one.name if not one.hidden else one.title], 200),
        "description": told.shortened([one.title], room),
        "points": one.points,
        "max_points": one.max_points,
        "message": told.shortened([one.sentence], room),
        "output": told.shortened(list(one.details), room),
    }
    return {name: value for name, value in test.items() if value != ""}


def _bytes(whole: object) -> int:
    return len(json.dumps(whole, ensure_ascii=False, indent=1).encode())
