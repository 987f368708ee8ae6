"""Fill in a template: grades, and feedback in one sentence of ours. Nothing of a student's goes into it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.errors import Outcome, UsageError
from grader.exports import told
from grader.exports.lms.columns import Columns, find, number
from grader.exports.lms.delimited import Cell, Delimited, parse
from grader.exports.lms.matching import entries_of_rows
from grader.exports.source import Run
from grader.exports.words import say
from grader.report.models import Report
from grader.report.summary import Entry, Summary

_EXCUSED = "EX"
_MOST_FEEDBACK = 1500


@dataclass(frozen=True)
class FillRequest:
    """What the instructor asks for.

    Attributes:
        out_of: the points that the platform gives for the assignment; None: as many as the run.
        grade, feedback, key: titles of columns, where they are not found by themselves.
        replace_feedback: also where somebody has written something.
    """

    out_of: float | None = None
    grade: str | None = None
    feedback: str | None = None
    key: str | None = None
    replace_feedback: bool = False
    language: str = "en"


@dataclass
class Filled:
    """A template that was filled in.

    Attributes:
        changed: grades that were there and are others now: who, before, after.
        left: rows that were left alone although there is a submission, by reason.
        without_row: submissions that have no row.
        without_submission: how many rows have none.
    """

    content: bytes
    platform: str
    grades: int = 0
    feedbacks: int = 0
    changed: list[tuple[str, str, str]] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    without_row: list[str] = field(default_factory=list)
    without_submission: int = 0


def fill(content: bytes, name: str, run: Run, request: FillRequest) -> Filled:
    """Fill in.

    Args:
        content: of the template.
        name: of its file, for messages.

    Raises:
        UsageError: it cannot be understood, or counts points in another way than the run.
    """
    template, summary = parse(content, name), run.summary
    columns = find(template.rows, grade=request.grade, feedback=request.feedback, key=request.key, name=name)
    scale = _scale(columns, summary, request, name)
    rows = template.rows[1:]
    found = entries_of_rows(rows, columns, summary.submissions)
    comma = any(_has_comma(row, columns.grade) for row in rows)
    filled = Filled(b"", columns.platform)
    for index, entry in found.items():
        _fill_row(template, rows[index], columns, entry, scale, comma, run, request, filled)
    with_row = {entry.id for entry in found.values()}
    filled.without_row = [entry.id for entry in summary.submissions if entry.id not in with_row]
    keyed = [row for row in rows if len(row) > columns.keys[0] and row[columns.keys[0]].value.strip()]
    filled.without_submission = len(keyed) - len(found)  # the row of possible points is nobody's
    filled.content = template.to_bytes()
    return filled


def _fill_row(
    template: Delimited,
    row: Sequence[Cell],
    columns: Columns,
    entry: Entry,
    scale: float,
    comma: bool,
    run: Run,
    request: FillRequest,
    filled: Filled,
) -> None:
    if entry.score is None or entry.state != "graded":
        filled.left.setdefault(entry.state, []).append(entry.id)
        return
    if columns.grade >= len(row):
        filled.left.setdefault("short row", []).append(entry.id)
        return
    cell = row[columns.grade]
    if cell.value.strip().upper() == _EXCUSED:
        filled.left.setdefault("excused", []).append(entry.id)
        return
    grade = _decimal(entry.score * scale, comma)
    before = cell.value.strip()
    if number(before) != number(grade):
        template.replace(cell, grade)
        if before:
            filled.changed.append((entry.id, before, grade))
    filled.grades += 1
    if columns.feedback is not None and columns.feedback < len(row):
        comment = row[columns.feedback]
        if request.replace_feedback or not comment.value.strip():
            text = _feedback(entry, run, request.language)
            template.replace(comment, html.escape(text, quote=False) if columns.platform == "moodle" else text)
            filled.feedbacks += 1
        else:
            filled.left.setdefault("feedback already there", []).append(entry.id)


def _feedback(entry: Entry, run: Run, language: str) -> str:
    """As ``feedback_of``; where the report has gone, the score alone."""
    try:
        report = run.report(entry)
    except UsageError:
        report = None
    if report is None or report.score is None:
        return say("feedback_score", language, score=entry.score, most=entry.max_score)
    return feedback_of(report, language)


def feedback_of(report: Report, language: str) -> str:
    """What failed and why, in one line that begins with a word of ours, so that no program takes it for a formula."""
    checks = told.checks(report, language)
    bad = [one for one in checks if one.kind in (told.Kind.FAILED, told.Kind.BLOCKED) and one.points < one.max_points]
    shown = [one.name for one in bad if not one.hidden]
    parts = [say("feedback_score", language, score=report.score, most=report.max_score)]
    if not bad:
        parts.append(say("feedback_right", language))
    parts += [say("mistake", language, text=one.text[language]) for one in told.mistakes(report)]
    if bad:
        more = len(bad) - len(shown)
        listed = [*shown, *([say("feedback_hidden", language, count=more)] if more else [])]
        parts.append(say("feedback_failed", language, checks=", ".join(listed)))
    carried = sum(one.outcome == Outcome.CARRIED_FORWARD.value for one in checks)
    if carried:
        parts.append(say("feedback_carried", language, count=carried))
    text = " ".join(" ".join(parts).split())
    return text if len(text) <= _MOST_FEEDBACK else text[: _MOST_FEEDBACK - 3] + "..."


def _scale(columns: Columns, summary: Summary, request: FillRequest, name: str) -> float:
    """Points of the platform for one of the run. Raises UsageError when the two differ and nobody said so."""
    if not summary.max_score:
        raise UsageError("the run has no points to fill in: its assignment gives none")
    if request.out_of is not None:
        return request.out_of / summary.max_score
    if columns.most is not None and columns.most != summary.max_score:
        raise UsageError(
            f"{name} gives {columns.most:g} points for this column, the run {summary.max_score};"
            f" pass --out-of {columns.most:g} to convert, or --out-of {summary.max_score} to write the run's own"
        )
    return 1.0


def _decimal(value: float, comma: bool) -> str:
    """At most two decimals, as platforms compare them."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _has_comma(row: Sequence[Cell], column: int) -> bool:
    return column < len(row) and number(row[column].value) is not None and "," in row[column].value
