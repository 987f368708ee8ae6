"""A worker whose code was changed in one place, for tests that show what that place is good for."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import grader
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

Change = tuple[str, str, str]
"""A file below ``grader``, a text in it, and what stands there instead."""

LIMITS = Limits(call=2.0, load=4.0, submission=60.0, memory=1 << 30)


def runner_with(
    changes: list[Change], folder: Path, monkeypatch: pytest.MonkeyPatch, *, without: str = ""
) -> LocalRunner:
    """A runner whose workers come from a copy of the worker's code with ``changes`` made to it.

    Args:
        folder: empty, for the copy.
        without: names of defences to leave off, with commas.
    """
    if changes:
        _copy(folder)
        for name, old, new in changes:
            file = folder / "grader" / name
            text = file.read_text("utf-8")
            assert text.count(old) == 1, f"{name} does not hold once: {old}"
            file.write_text(text.replace(old, new), "utf-8")
        for launcher in ("fork", "spawn"):
            monkeypatch.setattr(f"grader.runners.{launcher}.command", lambda module: _command(folder, module))
    return LocalRunner(LIMITS, environment={"GRADER_WORKER_WITHOUT": without}, sandbox=False)


def _copy(folder: Path) -> None:
    source = Path(grader.__path__[0])
    for name in ("wire", "worker"):
        shutil.copytree(source / name, folder / "grader" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "__init__.py", folder / "grader")


def _command(folder: Path, module: str) -> list[str]:
    code = f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); runpy.run_module({module!r}, run_name='__main__')"
    return [sys.executable, "-I", "-X", "utf8", "-c", code]
