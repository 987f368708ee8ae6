"""Run the worker as a subprocess of the grader. No isolation: for students on their own machines.

A local worker runs with the rights of whoever started it, so reports say ``trusted: false``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import BinaryIO, cast

from grader.errors import RunnerUnavailable
from grader.runners.base import Files, Limits
from grader.runners.pipe import PipeWorker

_KEPT_ENVIRONMENT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class LocalRunner:
    """Starts workers as subprocesses.

    Args:
        limits: see Limits.
        environment: added to the worker's few variables, e.g. ``ATEN_CPU_CAPABILITY`` for the determinism tests.
    """

    name = "local"
    trusted = False

    def __init__(self, limits: Limits | None = None, *, environment: dict[str, str] | None = None) -> None:
        self.limits = limits or Limits()
        self._environment = environment or {}
        self._spare: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """See Runner.prepare."""
        if self._spare is None:
            self._spare = self._spawn()

    def start(self, files: Files) -> PipeWorker:
        """See Runner.start."""
        process, self._spare = self._spare or self._spawn(), None
        worker = PipeWorker(
            cast("BinaryIO", process.stdin),
            cast("BinaryIO", process.stdout),
            cast("BinaryIO", process.stderr),
            limits=self.limits,
            kill=lambda: _kill(process),
            reap=lambda: _reap(process),
        )
        worker.wait_until_ready(files)
        return worker

    def close(self) -> None:
        """See Runner.close."""
        if self._spare is not None:
            _kill(self._spare)
            self._spare.communicate()
            self._spare = None

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        environment |= {"PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", **self._environment}
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-X", "utf8", "-m", "grader.worker"],
                env=environment,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # its own process group, so that a kill reaches what it started
            )
        except OSError as error:
            raise RunnerUnavailable(f"cannot start a local worker: {error}") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _reap(process: subprocess.Popen[bytes]) -> str:
    """Wait for the end; a worker that closed its streams but lives on is killed after a moment."""
    if process.returncode is None:
        try:
            process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.wait()
            return "it closed its streams"
        if sys.platform != "win32":
            _kill_group(process)  # what it started may live on in its group
    code = process.returncode
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"
