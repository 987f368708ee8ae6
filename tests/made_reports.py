"""Reports and summaries made by hand."""

from __future__ import annotations

from grader.errors import Outcome
from grader.report.models import CheckResult, Environment, Finding, Frame, NamedMistake, Report, Submission, Timing
from grader.report.summary import Attempt, CheckCell, CheckColumn, Entry, Health, Student, Summary


def check_result(id: str = "rope.base", outcome: Outcome = Outcome.PASS, **changes: object) -> CheckResult:
    values = {
        "id": id,
        "section": "4.4",
        "title": {"en": f"Promise of {id}.", "zh": f"{id} 的承诺。"},
        "advice": False,
        "hidden": False,
        "max_points": 2,
        "outcome": outcome,
    }
    return CheckResult(**{**values, **changes})


def finding(text: str = "It differs.", frames: list[Frame] | None = None, **changes: object) -> Finding:
    values = {"message": "values.differ", "arguments": {}, "text": {"en": text, "zh": text}, "frames": frames or []}
    return Finding(**{**values, **changes})


def make_report(*checks: CheckResult, **changes: object) -> Report:
    values = {
        "assignment": "Assignment 1",
        "submission": Submission(name="someone", digest="0" * 64, files=["assignment1/rope.py"], skipped=[]),
        "environment": Environment(
            grader="0.1.0",
            grader_digest="1" * 64,
            python="3.11.0",
            torch="2.13.0",
            platform="Linux x86_64",
            cpu_capability="AVX2",
            threads=1,
        ),
        "runner": "local",
        "trusted": False,
        "isolation": "plain",
        "trust": {"en": "It ran beside us (trusted: false).", "zh": "没有隔离（trusted: false）。"},
        "device": "cpu",
        "seed": 7,
        "selected": [],
        "mistakes": [],
        "checks": list(checks),
        "timing": Timing(started="2026-01-01T00:00:00+00:00", total=1.5, diagnosis=0.5, checks={}),
    }
    return Report(**{**values, **changes})


def mistake(id: str = "rope.half_split", *checks: str, text: str = "Pairs halves.") -> NamedMistake:
    return NamedMistake(id=id, text={"en": text, "zh": f"{text}（中文）"}, checks=list(checks))


def columns_of(report: Report) -> list[CheckColumn]:
    fields = ("id", "section", "title", "advice", "hidden", "max_points")
    return [CheckColumn(**{field: getattr(check, field) for field in fields}) for check in report.checks]


def entry_of(report: Report, id: str, **changes: object) -> Entry:
    """A graded submission, as ``grader batch`` writes it."""
    cells = [
        CheckCell(
            id=check.id,
            outcome=check.outcome,
            points=check.points,
            max_points=check.max_points,
            mistakes=check.finding.mistakes if check.finding else [],
        )
        for check in report.checks
    ]
    values = {
        "id": id,
        "student": Student(id=id, name=f"Student {id}"),
        "attempt": Attempt(source=f"{id}.zip"),
        "state": "graded",
        "digest": report.submission.digest,
        "score": report.score,
        "max_score": report.max_score,
        "checks": cells,
        "mistakes": [one.id for one in report.mistakes],
        "report": f"reports/{id}/report.json",
        "page": f"reports/{id}/report.html",
        "seconds": 0.5,
        "tries": 1,
    }
    return Entry(**{**values, **changes})


def ungraded(id: str, state: str, **changes: object) -> Entry:
    """A student without a grade."""
    reason = {"en": f"{state}: the reason", "zh": f"{state}：原因"}
    return Entry(**{"id": id, "student": Student(id=id), "state": state, "max_score": 4, "reason": reason, **changes})


def make_summary(report: Report, *entries: Entry, **changes: object) -> Summary:
    values = {
        "assignment": report.assignment,
        "assignment_digest": "a" * 64,
        "input": "bulk.zip",
        "layout": "folder",
        "seed": 7,
        "runner": "local",
        "trusted": False,
        "isolation": "plain",
        "device": "cpu",
        "environment": report.environment,
        "max_score": report.max_score,
        "checks": columns_of(report),
        "mistakes": {one.id: one.text for one in report.mistakes},
        "submissions": list(entries),
        "health": Health(started="2026-11-01T10:00:00+00:00", seconds=90.0, jobs=2),
    }
    return Summary(**{**values, **changes})
