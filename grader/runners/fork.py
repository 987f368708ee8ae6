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
import tempfile
import threading
from collections.abc import Callable
from typing import IO

from grader.errors import RunnerUnavailable
from grader.runners import bubblewrap
from grader.runners.channel import Channel
from grader.runners.launch import AWAY, GPUS, Launched, command, ending, environment, other_user

_REPLY = struct.Struct("<qq")  # as in grader.worker.zygote
_ALIVE = 1 << 32
_REAP_TIMEOUT = 10.0  # many times what it takes: a submission that stops the process that forks must not stop us


class ForkLauncher:
    """Talks to one zygote over a socket pair, whose end (also by the grader's death) ends all workers.

    Args:
        sandboxed: start it in bubblewrap.
        user: id of the user that it runs as; None: ours.
    """

    def __init__(
        self,
        extra_environment: dict[str, str],
        *,
        start_timeout: float,
        sandboxed: bool = False,
        user: int | None = None,
    ) -> None:
        self._user = user
        self._environment = environment(extra_environment)
        self._start_timeout, self._sandboxed = start_timeout, sandboxed
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._errors: IO[bytes] | None = None
        self._said = ""

    def prepare(self) -> None:
        """See Launcher.prepare."""
        if self._zygote is not None and self._zygote.poll() is None:
            return
        self.close()
        ours, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the zygote
        try:
            started = [*command("grader.worker.zygote"), str(theirs.fileno())]
            self._zygote = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                bubblewrap.inside(started, gpu=bool(self._environment[GPUS])) if self._sandboxed else started,
                env=self._environment,
                cwd=AWAY,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
                **other_user(self._user),
            )
        except OSError as error:
            ours.close()
            raise RunnerUnavailable(f"cannot start a local worker: {error}") from error
        finally:
            theirs.close()
        self._control = ours

    def launch(self) -> Launched:
        """See Launcher.launch."""
        self.prepare()
        channel = Channel()
        error_read, error_write = os.pipe()
        theirs = channel.theirs.fileno()
        try:
            pid, _, handle = self._ask(b"f", 0, self._start_timeout, (theirs, theirs, error_write))
        except OSError as error:
            channel.close()
            os.close(error_read)
            raise RunnerUnavailable(f"cannot fork a worker ({error}): {self._said or 'it said nothing'}") from error
        finally:
            channel.theirs.close()
            os.close(error_write)
        process = _Forked(pid, self._wait_for, channel, handle=handle, group=not self._sandboxed)
        errors = os.fdopen(error_read, "rb", buffering=0)
        return Launched(channel, channel, errors, kill=process.kill, reap=process.reap)

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
        if self._errors is not None:
            self._errors.seek(0)
            self._said = self._errors.read().decode("utf-8", "replace")[-2000:].strip()
            self._errors.close()
            self._errors = None

    def _wait_for(self, pid: int) -> int:
        return self._ask(b"w", pid, _REAP_TIMEOUT)[1]

    def _ask(
        self, order: bytes, pid: int, timeout: float, descriptors: tuple[int, ...] = ()
    ) -> tuple[int, int, int | None]:
        """Send one order. Returns the reply's numbers, and the descriptor that came along.

        Raises OSError; the zygote is then gone, and ``prepare`` starts another.
        """
        if self._control is None:
            raise OSError("the launcher is closed")
        try:
            self._control.settimeout(timeout)
            socket.send_fds(self._control, [order + struct.pack("<q", pid)], list(descriptors))
            reply, handles, _, _ = socket.recv_fds(self._control, _REPLY.size, 1)
            while len(reply) < _REPLY.size:
                part = self._control.recv(_REPLY.size - len(reply))
                if not part:
                    raise OSError("it has ended")
                reply += part
        except OSError:
            self.close()
            raise
        first, second = _REPLY.unpack(reply)
        return first, second, handles[0] if handles else None


class _Forked:
    """One forked worker: a child of the zygote, so the zygote reaps it.

    Args:
        pid: its id, as the zygote sees it.
        handle: a descriptor of the process, by which it can be killed from outside a sandbox.
        group: whether the zygote's ids are ours too, so that its process group can be killed.
    """

    def __init__(
        self, pid: int, wait_for: Callable[[int], int], channel: Channel, *, handle: int | None, group: bool
    ) -> None:
        self._pid, self._wait_for, self._channel = pid, wait_for, channel
        self._handle, self._group = handle, group
        self._lock = threading.Lock()
        self._ended: str | None = None

    def kill(self) -> None:
        if self._ended is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError), self._lock:
            if self._group:
                os.killpg(self._pid, signal.SIGKILL)
            elif self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        self._channel.cut()

    def reap(self) -> str:
        if self._ended is None:
            self._ended = self._wait()
            with self._lock:
                handle, self._handle = self._handle, None
            if handle is not None:
                os.close(handle)
        return self._ended

    def _wait(self) -> str:
        try:
            status = self._wait_for(self._pid)
        except OSError:  # the zygote is gone, by the hand of a submission
            self.kill()
            return "unknown"
        return "it closed its streams" if status == _ALIVE else ending(status)
