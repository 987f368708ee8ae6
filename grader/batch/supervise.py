"""Grade a task in a slot process and watch over it: what an engine runs in its threads, here or on another machine.

The process is kept for the thread's next task. One that ends or hangs costs the task this try and is replaced.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import IO

from grader.batch.tasks import Result, Task
from grader.errors import GraderError

_PATIENCE = 5.0
"""Seconds; a slot ends itself before, see ``slot.GRACE``."""

_kept = threading.local()
_all: weakref.WeakSet[Slot] = weakref.WeakSet()
_lock = threading.Lock()


class SlotLost(GraderError):
    """The process that graded has ended, or had to be ended; the submission can be tried again."""


def grade_in_slot(task: str, command: Sequence[str]) -> str:
    """Grade a task (JSON) in this thread's slot; returns the result (JSON). Raises SlotLost.

    Args:
        command: starts a slot process, after the name of the interpreter.
    """
    slot: Slot | None = getattr(_kept, "slot", None)
    if slot is None or not slot.alive or slot.command != tuple(command):
        if slot is not None:
            slot.end()
        slot = _kept.slot = Slot(command)
    seconds = Task.model_validate_json(task).seconds
    return slot.ask(task, seconds)


def start_slot(command: Sequence[str]) -> None:
    """Start this thread's slot, so that it imports torch while the first task is made."""
    _kept.slot = Slot(command)


def end_all_slots() -> None:
    """End every slot of this process, whatever it does; one that is idle ends its runner first."""
    with _lock:
        slots = list(_all)
    for slot in slots:
        slot.dismiss()
    for slot in slots:
        slot.end(patience=_PATIENCE)


class Slot:
    """A slot process, seen from outside."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, "PYTHONUTF8": "1"},
                start_new_session=sys.platform != "win32",  # Ctrl-C is for us: we end it
            )
        except OSError as error:
            self._errors.close()
            raise SlotLost(f"a process that grades could not be started: {error}") from error
        with _lock:
            _all.add(self)

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def ask(self, task: str, seconds: float) -> str:
        """Grade a task. Raises SlotLost when the process ends, or takes longer than ``seconds``."""
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101 - as above
        timer = threading.Timer(seconds, self._kill)
        timer.daemon = True
        timer.start()
        try:
            self._process.stdin.write(task.encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except (OSError, ValueError):
            line = b""
        finally:
            is_late = not timer.is_alive()
            timer.cancel()
        if not line.endswith(b"\n"):
            said = self.end()
            why = f"took longer than {seconds:g} s" if is_late else "has ended"
            raise SlotLost(f"the process that graded {why}: {said or 'it said nothing'}")
        return line.decode()

    def dismiss(self) -> None:
        """Tell it that nothing more will be asked."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def end(self, *, patience: float = 0.0) -> str:
        """End it, by force after so many seconds; returns the last that it said."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=patience)
        self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        if self._errors.closed:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 4000))
        said = self._errors.read().decode("utf-8", "replace")[-600:].strip()
        self._errors.close()
        return said

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            elif self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)


def result_from(text: str) -> Result:
    """A result that came back. Raises SlotLost for anything else."""
    try:
        return Result.model_validate_json(text)
    except ValueError as error:
        raise SlotLost(f"the process that graded answered with something else: {error}") from None
