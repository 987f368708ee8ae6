"""The command line for tests: as a process of its own, and ``grader check`` in this process."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import replace

import bank_loader
from rich.console import Console

from grader.cli import check
from grader.cli.check import CheckRequest

PLAIN = bank_loader.BANK / "correct" / bank_loader.BASE
_MATTERS = (
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "LC_ALL",
    "LANG",
    "GRADER_LANG",
    "PYTEST_ADDOPTS",
    "FORCE_COLOR",
    "COLUMNS",
)
"""Variables of whoever runs these tests that would show in what the command prints."""


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what shows, and with ``changes``."""
    return {**{name: value for name, value in os.environ.items() if name not in _MATTERS}, **changes}


def grader(
    *arguments: object, extra_environment: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    """``grader ARGUMENTS`` as a process of its own, with text in UTF-8."""
    return subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        env=environment(PYTHONIOENCODING="utf-8", **(extra_environment or {})),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
        **options,
    )


REQUEST = CheckRequest(
    path=PLAIN,
    json=None,
    html=None,
    seed=5,
    only=["rope.base"],
    runner="local",
    device="cpu",
    fail_under=None,
    assignment=None,
    language="en",
)


class Checked:
    """What ``grader check`` ended with in this process: its code and what it printed."""

    def __init__(self, **changes: object) -> None:
        self._stream = io.StringIO()
        console = Console(file=self._stream, width=10_000)
        self.code = check.run(replace(REQUEST, **changes), console)

    @property
    def output(self) -> str:
        return self._stream.getvalue()
