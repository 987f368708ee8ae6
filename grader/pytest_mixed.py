"""The checks in a pytest run that is the student's own: beside tests of theirs, with pytest's own report."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from grader.catalogue import info_of
from grader.errors import CheckFailure
from grader.plugin import GraderPlugin
from grader.report.results import finding_of


class MixedPlugin(GraderPlugin):
    """Grades the checks, and leaves tests that are none alone."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The checks first, then the others as they come."""
        others = [item for item in items if not _is_check(item)]
        items[:] = [item for item in items if _is_check(item)]
        super().pytest_collection_modifyitems(items)
        items += others

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """As for every check."""
        if _is_check(item):
            super().pytest_runtest_setup(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """As for every check."""
        if _is_check(item):
            return (yield from super().pytest_runtest_makereport(item, call))
        return (yield)


class Words:
    """Shows a failed check's sentence and the student's own lines, where pytest would show the grader's."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put them in place of the traceback."""
        report = yield
        error = None if call.excinfo is None else call.excinfo.value
        info = info_of(getattr(item, "function", None))
        if isinstance(error, CheckFailure) and info is not None:
            finding = finding_of(error, None)
            lines = [f"{info.id} (section {info.section}): {info.title}", *finding.text.values()]
            lines += [f"  {frame.file}:{frame.line} in {frame.function}: {frame.text}" for frame in finding.frames]
            report.longrepr = "\n".join(lines)
        return report


def _is_check(item: pytest.Item) -> bool:
    return info_of(getattr(item, "function", None)) is not None
