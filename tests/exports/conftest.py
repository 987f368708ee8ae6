"""A report with everything in it, and the same as a run over a class."""

from __future__ import annotations

from pathlib import Path

import pytest
from exported import whole_report, write_run

from grader.exports.source import Run
from grader.report import json_file
from grader.report.models import Report


@pytest.fixture
def report() -> Report:
    return whole_report()


@pytest.fixture
def report_file(tmp_path: Path, report: Report) -> Path:
    json_file.write(report, tmp_path / "report.json")
    return tmp_path / "report.json"


@pytest.fixture
def run(tmp_path: Path, report: Report) -> Run:
    return write_run(tmp_path / "run", report, ["alice", "bob"])
