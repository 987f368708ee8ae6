"""Reports made by hand, as fixtures."""

from __future__ import annotations

from collections.abc import Callable

import bank_loader
import pytest
from made_reports import check_result, finding, make_report

from grader.intake.submission import SubmissionFiles
from grader.report.models import CheckResult, Finding, Report


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
