"""Fork workers from one process that has imported torch and nothing of any student's: 10 ms instead of a second each.

Linux only: forking a process with torch loaded is not safe on macOS, and Windows has no fork.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Callable

from grader.errors import RunnerUnavailable
from grader.runners.launch import Launched, command, ending, environment

_REPLY = struct.Struct("<qq")  # as in grader.worker.zygote
_ALIVE = 1 << 32


class ForkLauncher:
    """Talks to one zygote over a socket pair, whose end (also by the grader's death) ends all workers."""

    def __init__(self, extra_environment: dict[str, str], *, start_timeout: float) -> None:
        self._environment = environment(extra_environment)
        self._start_timeout = start_timeout
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def prepare(self) -> None:
        """See Launcher.prepare."""
        if self._zygote is not None and self._zygote.poll() is None:
            return
        self.close()
        ours, theirs = socket.socketpair()
        try:
            self._zygote = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [*command("grader.worker.zygote"), str(theirs.fileno())],
                env=self._environment,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise RunnerUnavailable(f"cannot start a local worker: {error}") from error
        finally:
            theirs.close()
        ours.settimeout(self._start_timeout)
        self._control = ours

    def launch(self) -> Launched:
        """See Launcher.launch."""
        self.prepare()
        pipes = [os.pipe() for _ in range(3)]
        (request_read, request_write), (answer_read, answer_write), (error_read, error_write) = pipes
        theirs = (request_read, answer_write, error_write)
        try:
            pid, _ = self._ask(b"f", 0, theirs)
        except OSError as error:
            for pipe in (request_write, answer_read, error_read):
                os.close(pipe)
            raise RunnerUnavailable(f"cannot fork a worker: {error}") from error
        finally:
            for pipe in theirs:
                os.close(pipe)
        process = _Forked(pid, self._ask)
        return Launched(
            os.fdopen(request_write, "wb", buffering=0),
            os.fdopen(answer_read, "rb", buffering=0),
            os.fdopen(error_read, "rb", buffering=0),
            kill=process.kill,
            reap=process.reap,
        )

    def close(self) -> None:
        """See Launcher.close."""
        if self._control is not None:
            self._control.close()  # the zygote sees the end, kills what it forked, and leaves
            self._control = None
        if self._zygote is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._zygote.wait(timeout=1.0)
            self._zygote.kill()
            self._zygote.wait()
            self._zygote = None

    def _ask(self, order: bytes, pid: int, descriptors: tuple[int, ...] = ()) -> tuple[int, int]:
        if self._control is None:
            raise OSError("the launcher is closed")
        socket.send_fds(self._control, [order + struct.pack("<q", pid)], list(descriptors))
        reply = b""
        while len(reply) < _REPLY.size:
            part = self._control.recv(_REPLY.size - len(reply))
            if not part:
                raise OSError("the process that forks workers has ended")
            reply += part
        first, second = _REPLY.unpack(reply)
        return first, second


class _Forked:
    """One forked worker: a child of the zygote, so the zygote reaps it."""

    def __init__(self, pid: int, ask: Callable[[bytes, int], tuple[int, int]]) -> None:
        self._pid, self._ask = pid, ask
        self._ended: str | None = None

    def kill(self) -> None:
        if self._ended is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def reap(self) -> str:
        if self._ended is None:
            self._ended = self._wait()
        return self._ended

    def _wait(self) -> str:
        try:
            _, status = self._ask(b"w", self._pid)
        except OSError:
            return "unknown"
        return "it closed its streams" if status == _ALIVE else ending(status)
