"""Run the worker as a process of this machine: for students on their own machines.

In bubblewrap where that works, else with the rights of whoever started it. Reports say ``trusted: false`` either way,
and which of the two it was.
"""

from __future__ import annotations

import sys

from grader.runners import bubblewrap
from grader.runners.base import Files, Limits
from grader.runners.fork import ForkLauncher
from grader.runners.launch import MEMORY, Launcher
from grader.runners.pipe import PipeWorker
from grader.runners.spawn import SpawnLauncher


class LocalRunner:
    """Starts workers as processes.

    Args:
        limits: see Limits.
        environment: added to the worker's few variables, e.g. ``ATEN_CPU_CAPABILITY`` for the determinism tests.
        fork: fork workers from a process with torch imported; None: where that is safe.
        sandbox: start that process in bubblewrap; None: where that works.
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
        sandbox: bool | None = None,
        user: int | None = None,
    ) -> None:
        self.limits = limits or Limits()
        variables = {MEMORY: str(self.limits.memory), **(environment or {})}
        forks = sys.platform == "linux" if fork is None else fork
        wanted = user is None and bubblewrap.is_available() if sandbox is None else sandbox
        sandboxed = forks and wanted
        plain = "isolation.none" if user is None else "isolation.user"
        self.isolation = "isolation.bubblewrap" if sandboxed else plain
        self._launcher: Launcher = (
            ForkLauncher(variables, start_timeout=self.limits.start, sandboxed=sandboxed, user=user)
            if forks
            else SpawnLauncher(variables, user=user)
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
