"""Reports made by hand."""

from __future__ import annotations

from collections.abc import Callable

import bank_loader
import pytest

from grader.errors import Outcome
from grader.intake.submission import SubmissionFiles
from grader.report.models import CheckResult, Environment, Finding, Frame, Report, Submission, Timing


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


@pytest.fixture(name="check_result", scope="session")
def _check_result() -> Callable[..., CheckResult]:
    return check_result


@pytest.fixture(name="finding", scope="session")
def _finding() -> Callable[..., Finding]:
    return finding


@pytest.fixture(name="make_report", scope="session")
def _make_report() -> Callable[..., Report]:
    return make_report


@pytest.fixture(scope="session")
def several_wrong() -> Callable[..., SubmissionFiles]:
    """A factory: the base submission with several files of the bank's wrong ones, one after the other."""

    def make(*names: str) -> SubmissionFiles:
        entries = {entry.name: entry for entry in bank_loader.entries("wrong")}
        files = dict(bank_loader.base().files)
        for name in names:
            files[entries[name].target] += "\n\n" + entries[name].path.read_text("utf-8")
        return SubmissionFiles("+".join(names), files)

    return make
