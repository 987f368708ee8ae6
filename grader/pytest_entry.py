"""``pytest --pyargs grader.checks --submission PATH``: the same checks for those who prefer pytest.

Registered as a pytest plugin, so it loads in every pytest run of this environment: it does nothing, and imports nothing
heavy, unless ``--submission`` is given.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("grader", "Assignment 1 grader")
    group.addoption("--submission", metavar="PATH", help="grade this submission with the checks of grader.checks")
    group.addoption("--grader-seed", type=int, default=None, metavar="N", help="seed of all inputs; fresh without it")


def pytest_configure(config: pytest.Config) -> None:
    """Register the grading plugin when a submission was named."""
    given = config.getoption("--submission", default=None)
    if not given:
        return
    from grader import settings
    from grader.catalogue import all_checks
    from grader.errors import UsageError
    from grader.intake.read import read
    from grader.runners.local import LocalRunner

    config.addinivalue_line("python_files", "check_*.py")
    config.addinivalue_line("python_functions", "check_*")
    try:
        loaded = settings.load(None, all_checks())
        submission = read(Path(given))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    runner = LocalRunner(loaded.limits.for_runner())
    runner.prepare()
    from grader.plugin import GraderPlugin
    from grader.run_state import RunState
    from grader.session import fresh_seed

    seed = config.getoption("--grader-seed")
    run = RunState(runner, submission.files)
    plugin = GraderPlugin(run, loaded, fresh_seed() if seed is None else seed, set(loaded.points))
    config.pluginmanager.register(plugin, "grader-checks")
    config.pluginmanager.register(_Words(), "grader-words")
    config.add_cleanup(run.close)


class _Words:
    """Shows a failed check's sentence and the student's own lines, where pytest would show the grader's."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        from grader.catalogue import info_of
        from grader.errors import CheckFailure
        from grader.report.results import finding_of

        error = None if call.excinfo is None else call.excinfo.value
        info = info_of(getattr(item, "function", None))
        if isinstance(error, CheckFailure) and info is not None:
            finding = finding_of(error, None)
            lines = [f"{info.id} (section {info.section}): {info.title}", *finding.text.values()]
            lines += [f"  {frame.file}:{frame.line} in {frame.function}: {frame.text}" for frame in finding.frames]
            report.longrepr = "\n".join(lines)
        return report
