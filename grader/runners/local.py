"""Run the worker as a process of this machine. No isolation: for students on their own machines.

A local worker runs with the rights of whoever started it, so reports say ``trusted: false``.
"""

from __future__ import annotations

import sys

from grader.runners.base import Files, Isolation, Limits
from grader.runners.fork import ForkLauncher
from grader.runners.launch import Launcher
from grader.runners.pipe import PipeWorker
from grader.runners.spawn import SpawnLauncher


class LocalRunner:
    """Starts workers as processes.

    Args:
        limits: see Limits.
        environment: added to the worker's few variables, e.g. ``ATEN_CPU_CAPABILITY`` for the determinism tests.
        fork: fork workers from a process with torch imported; None: where that is safe.
        user: id of a user of its own that workers run as; only root can give it. None: whoever runs the grader.
    """

    name = "local"
    trusted = False

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        environment: dict[str, str] | None = None,
        fork: bool | None = None,
        user: int | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.isolation: Isolation = "plain" if user is None else "user"
        forks = sys.platform == "linux" if fork is None else fork
        self._launcher: Launcher = (
            ForkLauncher(environment or {}, start_timeout=self.limits.start, user=user)
            if forks
            else SpawnLauncher(environment or {}, user=user)
        )

    def prepare(self) -> None:
        """See Runner.prepare."""
        self._launcher.prepare()

    def start(self, files: Files) -> PipeWorker:
        """See Runner.start."""
        worker = PipeWorker(self._launcher.launch(), self.limits)
        worker.wait_until_ready(files)
        return worker

    def close(self) -> None:
        """See Runner.close."""
        self._launcher.close()
