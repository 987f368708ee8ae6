"""How a local worker process comes to be: started afresh, or forked from one that has torch imported already."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from grader.errors import Outcome

_RUN = """
import os, runpy, sys
sys.path += [home for home in sys.argv.pop(1).split(os.pathsep) if home not in sys.path]
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""

AWAY = os.path.abspath(os.sep)
"""Where workers start: the names that tracebacks give to a submission's files must not be found on disk from there."""

GRACE = 1.0
"""Seconds that a worker which closed its streams gets to end by itself, so that its own exit code is seen."""

MEMORY = "GRADER_WORKER_MEMORY"  # as in grader.worker.defences

GPUS = "CUDA_VISIBLE_DEVICES"  # as in grader.worker.defences

_KEPT_ENVIRONMENT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class Readable(Protocol):
    """Where answers come from."""

    def read(self, size: int, /) -> bytes | None:
        """Return up to ``size`` bytes; empty at the end."""
        ...

    def close(self) -> None:
        """Close it; twice is harmless."""
        ...


class Writable(Protocol):
    """Where requests go."""

    def write(self, data: memoryview, /) -> int:
        """Take a part of ``data``; returns how many bytes."""
        ...

    def close(self) -> None:
        """Close it; twice is harmless."""
        ...


@dataclass(frozen=True)
class Launched:
    """A running worker process.

    Attributes:
        kill: ends it and what it started, and a read of its answers returns; from any thread, and more than once.
        reap: waits for its end and says how it was, in a few words.
        postmortem: after that, whose doing it was: CRASH, OOM, or GRADER_ERROR when the place itself failed.
    """

    requests: Writable
    answers: Readable
    errors: BinaryIO
    kill: Callable[[], None]
    reap: Callable[[], str]
    postmortem: Callable[[], Outcome] = lambda: Outcome.CRASH


class Launcher(Protocol):
    """Starts worker processes."""

    def prepare(self) -> None:
        """Begin in the background what ``launch`` will need."""
        ...

    def launch(self) -> Launched:
        """Start a worker. Raises RunnerUnavailable."""
        ...

    def close(self) -> None:
        """End what ``prepare`` began."""
        ...


def command(module: str, *arguments: str) -> list[str]:
    """Run one of our modules in our own interpreter, isolated: no PYTHON* variables, nothing from the current folder.

    The folders in which the grader and torch were found are named, for an isolated interpreter leaves out where
    ``pip install --user`` puts them.
    """
    return [sys.executable, "-I", "-X", "utf8", "-c", _RUN, os.pathsep.join(_homes()), module, *arguments]


def _homes() -> list[str]:
    found = (importlib.util.find_spec(name) for name in ("grader", "torch"))
    return list(dict.fromkeys(str(Path(spec.origin).parents[1]) for spec in found if spec is not None and spec.origin))


def environment(extra: dict[str, str]) -> dict[str, str]:
    """The few variables that a worker gets: no secrets of whoever runs the grader, no GPU unless given one."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return {**kept, "OMP_NUM_THREADS": "1", GPUS: "", **extra}


def other_user(user: int | None) -> dict[str, Any]:
    """What Popen needs to start a worker as a user and group of its own; nothing for None."""
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def ending(code: int) -> str:
    """An exit code as subprocess gives it (negative: a signal) in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
