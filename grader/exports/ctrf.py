"""CTRF, the Common Test Report Format (ctrf.io), version 1.0.0. Points and mistakes go into ``extra``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import IO, Any

import grader
from grader.exports import told
from grader.exports.told import Kind, Told
from grader.exports.words import say
from grader.report.models import Report
from grader.report.student_view import for_students
from grader.report.summary import Entry, Summary

SPECIFICATION = "1.0.0"
_NAME = "assignment1-grader"
_TOOL = {"name": _NAME, "version": grader.__version__}
_HEAD = {"reportFormat": "CTRF", "specVersion": SPECIFICATION, "generatedBy": _NAME}
_STATUS = {Kind.PASSED: "passed", Kind.FAILED: "failed", Kind.SKIPPED: "skipped", Kind.BLOCKED: "skipped"}
_ENTRY_STATUS = {"missing": "skipped", "unreadable": "failed"}
_STATUSES = ("passed", "failed", "skipped", "pending", "other")
_MOST_TEXT = 20_000


def to_text(report: Report, language: str) -> str:
    """One report as a file of its own."""
    report = for_students(report)
    tests = list(_tests(report, [report.assignment], language))
    start = _epoch(report.timing.started)
    summary = _summary(Counter(test["status"] for test in tests), start, start + told.milliseconds(report.timing.total))
    points = {} if report.score is None else {"score": report.score}
    summary["extra"] = {**points, "max_score": report.max_score, "graded": report.graded}
    whole = {**_HEAD, "results": {"tool": _TOOL, "summary": summary, "tests": tests}}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def write_run(run: Summary, reports: Iterable[tuple[Entry, Report | None]], stream: IO[str], language: str) -> None:
    """A whole class into ``stream``: the tests as they come, and the summary after them."""
    for name, value in _HEAD.items():
        stream.write(f"{'{' if name == 'reportFormat' else ', '}{json.dumps(name)}: {json.dumps(value)}")
    stream.write(f', "results": {{"tool": {json.dumps(_TOOL)}, "tests": [')
    counts: Counter[str] = Counter()
    for entry, report in reports:
        suite = [run.assignment, entry.id]
        for test in [_entry_test(entry, suite, language)] if report is None else _tests(report, suite, language):
            stream.write((",\n" if counts.total() else "\n") + json.dumps(test, ensure_ascii=False))
            counts[test["status"]] += 1
    start = _epoch(run.health.started)
    summary = _summary(counts, start, start + told.milliseconds(run.health.seconds))
    summary["extra"] = {"submissions": len(run.submissions), "max_score": run.max_score}
    stream.write(f'\n], "summary": {json.dumps(summary, ensure_ascii=False)}}}}}\n')


def _tests(report: Report, suite: list[str], language: str) -> Iterable[dict[str, Any]]:
    report = for_students(report)
    if not report.graded:
        lines = told.overview(report, language)
        yield {"name": "grading", "status": "other", "duration": 0, "suite": suite, "message": "\n".join(lines)}
    for one in told.checks(report, language):
        yield _test(one, suite)


def _test(one: Told, suite: list[str]) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": one.name if one.hidden else f"{one.name}: {one.title}",
        "status": _STATUS.get(one.kind, "other"),
        "duration": told.milliseconds(one.seconds),
        "suite": [*suite, one.section],
        "rawStatus": one.outcome,
        "tags": [one.section, one.area],
        "extra": {"points": one.points, "max_points": one.max_points, "mistakes": list(one.mistakes)},
    }
    if one.kind is Kind.NO_VERDICT:
        test["extra"] = {"max_points": one.max_points}  # no points are no zero
    if one.sentence:
        test["message"] = one.text[:_MOST_TEXT]
    if one.frames:
        last = one.frames[-1]
        test["trace"] = "\n".join(f"{frame.file}:{frame.line} {frame.function}: {frame.text}" for frame in one.frames)
        test["filePath"] = last.file
    return test


def _entry_test(entry: Entry, suite: list[str], language: str) -> dict[str, Any]:
    """A submission without a report."""
    said = say(entry.state if entry.state in _ENTRY_STATUS else "not_graded", language)
    reason = (entry.reason or {}).get(language, "")
    return {
        "name": "grading",
        "status": _ENTRY_STATUS.get(entry.state, "other"),
        "duration": told.milliseconds(entry.seconds),
        "suite": suite,
        "rawStatus": entry.state,
        "message": " ".join(part for part in (said, reason) if part),
    }


def _summary(counts: Counter[str], start: int, stop: int) -> dict[str, Any]:
    return {"tests": counts.total(), **{name: counts[name] for name in _STATUSES}, "start": start, "stop": stop}


def _epoch(started: str) -> int:
    """Milliseconds since 1970; 0 for what is no time."""
    try:
        moment = datetime.fromisoformat(started.replace("Z", "+00:00"))
    except ValueError:
        return 0
    return told.milliseconds((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp())
