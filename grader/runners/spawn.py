"""Start every worker afresh: works on every system, and pays for importing torch each time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import BinaryIO, cast

from grader.errors import RunnerUnavailable
from grader.runners.channel import Channel
from grader.runners.launch import AWAY, GRACE, Launched, Readable, Writable, command, ending, environment, other_user


class SpawnLauncher:
    """One subprocess a worker; ``prepare`` starts the next one early."""

    def __init__(self, extra_environment: dict[str, str], *, user: int | None = None) -> None:
        self._user = user
        self._environment = environment(extra_environment)
        self._spare: _Spawned | None = None

    def prepare(self) -> None:
        """See Launcher.prepare."""
        if self._spare is None:
            self._spare = _Spawned(self._environment, self._user)

    def launch(self) -> Launched:
        """See Launcher.launch."""
        worker, self._spare = self._spare or _Spawned(self._environment, self._user), None
        return worker.launched()

    def close(self) -> None:
        """See Launcher.close."""
        if self._spare is not None:
            self._spare.kill()
            self._spare.process.communicate()
            self._spare.close()
            self._spare = None


class _Spawned:
    """One worker process and the way to it. Raises RunnerUnavailable."""

    def __init__(self, variables: dict[str, str], user: int | None) -> None:
        self._channel = None if sys.platform == "win32" else Channel()  # Windows has no sockets as standard streams
        ends: int = subprocess.PIPE if self._channel is None else self._channel.theirs.fileno()
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                command("grader.worker.__main__"),
                env=variables,
                cwd=AWAY,
                bufsize=0,
                stdin=ends,
                stdout=ends,
                stderr=subprocess.PIPE,
                start_new_session=True,  # its own process group, so that a kill reaches what it started
                **other_user(user),
            )
        except OSError as error:
            self.close()
            raise RunnerUnavailable(f"cannot start a local worker: {error}") from error
        finally:
            if self._channel is not None:
                self._channel.theirs.close()

    def launched(self) -> Launched:
        requests = self._channel or cast("Writable", self.process.stdin)
        answers = self._channel or cast("Readable", self.process.stdout)
        errors = cast("BinaryIO", self.process.stderr)
        return Launched(requests, answers, errors, kill=self.kill, reap=lambda: _reap(self.process))

    def kill(self) -> None:
        if self.process.returncode is None:  # once it is reaped, its number may belong to another process
            _kill_group(self.process)
        if self._channel is not None:
            self._channel.cut()

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()


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
