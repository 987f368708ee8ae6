"""Start every worker afresh: works on every system, and pays for importing torch each time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import BinaryIO, cast

from grader.errors import RunnerUnavailable
from grader.runners.launch import GRACE, Launched, command, ending, environment, other_user


class SpawnLauncher:
    """One subprocess a worker; ``prepare`` starts the next one early."""

    def __init__(self, extra_environment: dict[str, str], *, user: int | None = None) -> None:
        self._user = user
        self._environment = environment(extra_environment)
        self._spare: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """See Launcher.prepare."""
        if self._spare is None:
            self._spare = self._spawn()

    def launch(self) -> Launched:
        """See Launcher.launch."""
        process, self._spare = self._spare or self._spawn(), None
        return Launched(
            cast("BinaryIO", process.stdin),
            cast("BinaryIO", process.stdout),
            cast("BinaryIO", process.stderr),
            kill=lambda: _kill(process),
            reap=lambda: _reap(process),
        )

    def close(self) -> None:
        """See Launcher.close."""
        if self._spare is not None:
            _kill(self._spare)
            self._spare.communicate()
            self._spare = None

    def _spawn(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and module
                command("grader.worker"),
                env=self._environment,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # its own process group, so that a kill reaches what it started
                **other_user(self._user),
            )
        except OSError as error:
            raise RunnerUnavailable(f"cannot start a local worker: {error}") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:  # once it is reaped, its number may belong to another process
        _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _reap(process: subprocess.Popen[bytes]) -> str:
    if process.returncode is None:
        try:
            process.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.wait()
            return "it closed its streams"
        if sys.platform != "win32":
            _kill_group(process)  # what it started may live on in its group
    return ending(process.returncode)
