"""The main path: one submission in, one Report out."""

from __future__ import annotations

import datetime
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from grader import sources
from grader.blocked import mark_blocked
from grader.catalogue import all_checks
from grader.errors import Outcome, WorkerLost
from grader.intake.submission import SubmissionFiles
from grader.plugin import GraderPlugin, OnResult
from grader.report import environment
from grader.report.models import CheckResult, NamedMistake, Report, Timing
from grader.report.results import explain_why, not_run, sentences, submission_of
from grader.run_state import RunState
from grader.runners.base import Isolation, Runner
from grader.settings import Settings
from grader.source import Source
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.text import clean
from grader.verdicts import named_mistakes

CHECKS = Path(__file__).parent / "checks"
_OWN_TIMEOUT = 120.0
_TRUST: dict[Isolation, str] = {
    "in-process": "isolation.in-process",
    "plain": "isolation.plain",
    "user": "isolation.user",
    "bubblewrap": "isolation.bubblewrap",
    "container": "isolation.container",
}
_UNUSED_PLUGINS = (
    *("cacheprovider", "terminal", "logging", "doctest", "junitxml", "pastebin", "faulthandler"),
    *("unraisableexception", "threadexception"),  # they collect garbage twice, 0.1 s with torch loaded
)


def grade(
    submission: SubmissionFiles,
    runner: Runner,
    settings: Settings,
    *,
    seed: int,
    source: Source | None = None,
    device: str = "cpu",
    selected: list[str] | None = None,
    naming: bool = True,
    on_result: OnResult | None = None,
    on_output: Callable[[str], None] | None = None,
) -> Report:
    """Run the selected checks (None: all that have points or are advice) against a submission.

    A fault of the grader itself ends up in the report as ``error`` with ``graded`` false, never as a score.
    Ctrl-C raises KeyboardInterrupt, and nothing keeps running.

    Args:
        naming: name the mistakes, which decides what is carried forward: without it the score may be too low.
        seed: of all inputs; the same seed gives the same report outside ``timing``.
        source: of inputs, answers and names; None: this copy's own, live or a kit's.
        on_result: told of every check as it ends.
        on_output: told what the submission printed, cleaned; it is no part of the report, since it may differ from run
            to run.
    """
    began, started = time.perf_counter(), datetime.datetime.now(datetime.timezone.utc)
    torch.set_num_threads(1)  # tensors here are tiny: on a busy machine threads would wait for each other, 100 x slower
    checks = [check for check in all_checks() if check in settings.points and (selected is None or check in selected)]
    run = RunState(runner, submission.files)
    source = sources.source(seed) if source is None else source
    plugin = GraderPlugin(run, settings, source, set(checks), on_result)
    try:
        error = run_checks(plugin, runner.limits.submission + _OWN_TIMEOUT)
        graded = time.perf_counter()
        results = _in_order(plugin, checks, settings)
        mark_blocked(results, plugin.transcripts)
        mistakes, naming_error = _named(results, plugin, run, source) if error is None and naming else ([], None)
        explain_why(results, mistakes)
    finally:
        run.close()
    if on_output is not None and run.printed:
        on_output(clean(run.printed))
    return Report(
        assignment=settings.assignment.title,
        submission=submission_of(submission),
        environment=environment.current(),
        runner=runner.name,
        trusted=runner.trusted,
        isolation=runner.isolation,
        trust=sentences(_TRUST[runner.isolation]),
        device=device,
        seed=seed,
        selected=sorted(selected or []),
        only_at_grading=source.only_at_grading,
        error=None if error is None else clean(error),
        mistakes=mistakes,
        naming_error=naming_error,
        checks=results,
        timing=Timing(
            started=started.isoformat(timespec="seconds"),
            total=time.perf_counter() - began,
            diagnosis=time.perf_counter() - graded,
            checks=plugin.seconds,
        ),
    )


def _named(
    results: list[CheckResult], plugin: GraderPlugin, run: RunState, source: Source
) -> tuple[list[NamedMistake], str | None]:
    """The mistakes by name; a fault of ours in here costs the names and never the grade."""
    borrowing = False

    def lend() -> Student:
        nonlocal borrowing
        if not borrowing:
            run.fresh_worker()
        elif run.lost:
            raise WorkerLost("worker.crash", outcome=Outcome.CRASH, ending="unknown")
        borrowing = True
        return Student(Calls(run))

    try:
        return named_mistakes(results, plugin.transcripts, lend, source), None
    except Exception as fault:  # whatever it was, names are not worth a grade; the report says so
        return [], clean(f"{type(fault).__name__}: {fault}")


def _in_order(plugin: GraderPlugin, checks: list[str], settings: Settings) -> list[CheckResult]:
    """Every selected check once, in the catalogue's order; one that pytest never collected stays NOT_RUN."""
    known = all_checks()
    return [plugin.results.get(check) or not_run(known[check], settings) for check in checks]


def run_checks(plugin: GraderPlugin, timeout: float) -> str | None:
    """Run the checks; returns why the run is no grade, or None."""
    arguments = [
        str(CHECKS),
        f"--config-file={CHECKS / 'pytest.ini'}",  # ours, never one found near the submission
        f"--rootdir={CHECKS}",
        "--import-mode=importlib",
        "--noconftest",
        "--disable-plugin-autoload",
        "--strict-markers",
        "--assert=plain",
        "-ppytest_timeout",  # a backstop against our own hangs; the student's limit is the worker's deadline
        f"-otimeout={timeout if math.isfinite(timeout) else 0:g}",  # 0: none, for a runner that can keep no limit
        *(f"-pno:{name}" for name in _UNUSED_PLUGINS),
        "--capture=no",
    ]
    with _without_pytest_environment():
        code = pytest.main(arguments, plugins=[plugin, _ShortTracebacks()])
    if plugin.grader_error is not None:
        return plugin.grader_error
    if code is pytest.ExitCode.INTERRUPTED:  # Ctrl-C, which pytest takes for the end of its run
        raise KeyboardInterrupt
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return f"pytest ended with {code!r}"
    silent = [check for check, result in plugin.results.items() if result.outcome is Outcome.NOT_RUN]
    if silent or not plugin.results:
        return f"checks without a verdict: {', '.join(silent) or 'all'}"
    return None


class _ShortTracebacks:
    """Nobody reads pytest's own tracebacks here, and formatting them at length takes longer than the checks."""

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.tbstyle = "native"


@contextmanager
def _without_pytest_environment() -> Iterator[None]:
    """Drop PYTEST_* for the run: PYTEST_ADDOPTS and PYTEST_PLUGINS would change which checks run."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("PYTEST_")}
    for name in kept:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(kept)
