"""GitHub Actions: annotations, fences around what others wrote, and outputs of a step.

A step may give 10 annotations of a kind: one for each mistake, then one for each failed check without a name.
"""

from __future__ import annotations

import secrets

from grader.exports import told
from grader.exports.told import Kind, Told
from grader.exports.words import say
from grader.report.models import Report
from grader.report.student_view import for_students

MOST_ANNOTATIONS = 10
_MOST_MESSAGE = 2000


def log_lines(report: Report, language: str) -> list[str]:
    """Lines for the log, each an order to GitHub, of which no word is the student's own order."""
    report = for_students(report)
    if not report.graded:
        return [_annotation("error", say("not_graded", language), report.error or "", None)]
    checks = {one.name: one for one in told.checks(report, language)}
    found: list[tuple[str, str, Told | None]] = []
    explained: set[str] = set()
    for mistake in told.mistakes(report):
        shown = [checks[id] for id in mistake.checks if id in checks]
        explained.update(one.name for one in shown)
        found.append((mistake.id, mistake.text[language], _best(shown)))
    failed = [one for one in checks.values() if one.kind is Kind.FAILED and one.name not in explained]
    found += [(one.name, one.sentence, one) for one in failed]
    if len(found) > MOST_ANNOTATIONS:
        rest = say("more", language, count=len(found) - MOST_ANNOTATIONS + 1)
        found = [*found[: MOST_ANNOTATIONS - 1], (report.assignment, rest, None)]
    return [_annotation("error", title, message, one) for title, message, one in found]


def fenced(text: str) -> str:
    """``text`` for the log, in which GitHub obeys no order until it reads a word that nobody could guess."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n"


def outputs(report: Report) -> str:
    """Lines for ``$GITHUB_OUTPUT``."""
    status = "error" if report.score is None else "pass" if report.score == report.max_score else "fail"
    score = "-" if report.score is None else report.score
    return f"status={status}\nsummary={score}/{report.max_score}\n"


def _best(checks: list[Told]) -> Told | None:
    """The one that says where in the student's file it went wrong, if any does."""
    return next((one for one in checks if one.frames), checks[0] if checks else None)


def _annotation(kind: str, title: str, message: str, one: Told | None) -> str:
    properties = {"title": title}
    if one is not None and one.frames:
        last = one.frames[-1]
        properties = {"file": last.file, "line": str(max(1, last.line)), **properties}
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {shown}::{_data(message[:_MOST_MESSAGE])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
