"""A report as Markdown, for step summaries and releases of GitHub. Words from reports are words: nothing is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.contract import section_title
from grader.exports import told
from grader.exports.told import Kind, Told
from grader.exports.words import say
from grader.report.models import Report

MOST_BYTES = 1024 * 1024
"""Of one step's summary on GitHub; a larger one is not shown at all."""
_MOST_TEXT = 1500
_MARKUP = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "@": "&#64;",
    "$": "&#36;",
    **{one: f"\\{one}" for one in "\\`*_[]#|~"},
}
_ANYWHERE = str.maketrans(_MARKUP)
"""Markup, mentions of people, numbers of issues, formulas."""
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.|:(?=\w+:)", re.IGNORECASE)
"""What becomes a link, or a picture as in ``:name:``."""
_AT_START = re.compile(r"^(?:[-+=]|\d+[.)])")
"""What makes a list or a heading of a line."""


def to_markdown(report: Report, language: str, *, room: int = MOST_BYTES) -> str:
    """The score, the mistakes, the failed checks, all checks: in this order, as much as fits into ``room`` bytes."""
    note = f"\n{plain(say('shortened', language))}\n"
    left = room - len(note.encode())
    text: list[str] = []
    for block in _blocks(report, language):
        left -= len(block.encode())
        if left < 0:
            return "".join(text) + (note if room >= len(note.encode()) else "")
        text.append(block)
    return "".join(text)


def plain(text: str) -> str:
    """Words as words, in one line."""
    escaped = " ".join(text.split()).translate(_ANYWHERE)
    escaped = _ADDRESS.sub(lambda found: f"&#{ord(found[0])};", escaped)
    return _AT_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", escaped)


def code(text: str) -> str:
    """Words as code, in one line; within a table as well."""
    inner = " ".join(text.split()).replace("`", "'").replace("|", "\N{BROKEN BAR}")
    return f"`{inner}`" if inner else ""


def _blocks(report: Report, language: str) -> Iterator[str]:
    first, *rest = told.overview(report, language)
    yield f"### {plain(report.assignment)} ({plain(report.submission.name)})\n\n**{plain(first)}**\n"
    for line in rest:
        yield f"\n{plain(line[:_MOST_TEXT])}\n"
    if report.score is None:
        return
    checks = told.checks(report, language)
    yield from _sections(report, language)
    yield from _mistakes(report, language)
    failed = [one for one in checks if one.kind in (Kind.FAILED, Kind.BLOCKED)]
    if failed:
        yield f"\n#### {plain(say('failed_checks', language))}\n"
    for one in failed:
        yield _failed(one)
    yield from _all(checks, language)


def _sections(report: Report, language: str) -> Iterator[str]:
    points: dict[str, tuple[int, int]] = {}
    for check in (check for check in report.checks if not check.advice):
        got, most = points.get(check.section, (0, 0))
        points[check.section] = got + check.points, most + check.max_points
    yield f"\n| {plain(say('sections', language))} | {plain(say('points', language))} |\n| --- | ---: |\n"
    for section, (got, most) in sorted(points.items()):
        try:
            title = f"{section} {section_title(section, language)}"
        except KeyError:  # a report of another version of the assignment
            title = section
        yield f"| {plain(title)} | {got}/{most} |\n"


def _mistakes(report: Report, language: str) -> Iterator[str]:
    named = told.mistakes(report)
    if named:
        yield f"\n#### {plain(say('mistakes', language))}\n\n"
    for one in named:
        yield f"- {plain(one.text[language])} ({', '.join(code(id) for id in one.checks)})\n"


def _failed(one: Told) -> str:
    name = plain(one.title) if one.hidden else f"{code(one.name)} {plain(one.title)}"
    lines = "".join(f"  - {plain(line[:_MOST_TEXT])}\n" for line in (one.sentence, *one.details) if line)
    return f"\n- {name} ({one.points}/{one.max_points})\n{lines}"


def _all(checks: list[Told], language: str) -> Iterator[str]:
    head = [plain(say(word, language)) for word in ("check", "outcome", "points")]
    title = plain(say("all_checks", language, count=len(checks)))
    yield f"\n<details><summary>{title}</summary>\n\n| {' | '.join(head)} |\n| --- | --- | ---: |\n"
    for one in checks:
        name = plain(one.title) if one.hidden else code(one.name)
        points = "" if one.kind is Kind.ADVICE else f"{one.points}/{one.max_points}"
        yield f"| {name} | {plain(one.ended)} | {points} |\n"
    yield "\n</details>\n"
