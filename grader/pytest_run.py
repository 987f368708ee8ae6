"""Pytest over the checks, whatever is set up or installed around it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.plugin import GraderPlugin
from grader.rounds import Rounds

CHECKS = Path(__file__).parent / "checks"
_UNUSED_PLUGINS = (
    *("cacheprovider", "terminal", "logging", "doctest", "junitxml", "pastebin", "faulthandler"),
    *("unraisableexception", "threadexception"),  # they collect garbage twice, 0.1 s with torch loaded
)


def run_checks(plugin: GraderPlugin, timeout: float) -> str | None:
    """Run pytest over the checks; returns why that is no grade, or None. Rounds look for themselves at each."""
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
    if isinstance(plugin, Rounds) and plugin.escaped is not None:
        return None
    if code is pytest.ExitCode.INTERRUPTED:  # Ctrl-C, which pytest takes for the end of its run
        raise KeyboardInterrupt
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        return f"pytest ended with {code!r}"
    return None if isinstance(plugin, Rounds) else plugin.fault()


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
