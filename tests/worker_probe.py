"""Talk to a worker below the level of checks: raw requests, raw answers, and what became of its processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from grader.errors import WorkerLost
from grader.runners.base import Worker
from grader.wire.codec import Handle, Value

MODULE = "assignment1.norm"
UNGUARDED = {"GRADER_WORKER_WITHOUT": "landlock,seccomp"}
"""The environment of a worker as on a system that can forbid neither processes nor signals."""

LEAVES_A_DAEMON = """
import os, time

def leave_a_daemon():
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
        else:
            os.write(writing, str(pid).encode())
        os._exit(0)
    return int(os.read(reading, 20))
"""
"""A module of a submission that leaves a process in a session of its own."""


def call(worker: Worker, name: str | Handle, *arguments: Value, seconds: float = 30, **options: Value) -> Value:
    """Call a function of the student's ``norm.py`` (or an object behind a handle); its result, or a failed test."""
    answer = answer_of(worker, name, *arguments, seconds=seconds, **options)
    assert "error" not in answer, answer["error"]
    return answer["value"]


def error_of(worker: Worker, name: str | Handle, *arguments: Value, **options: Value) -> dict[str, Value]:
    """The error record of a call that must fail in the student's code."""
    error = answer_of(worker, name, *arguments, **options)["error"]
    assert isinstance(error, dict)
    return error


def answer_of(
    worker: Worker, name: str | Handle, *arguments: Value, seconds: float = 30, **options: Value
) -> dict[str, Value]:
    request: dict[str, Value] = {
        "op": "call",
        "check": "a check",
        "target": name if isinstance(name, Handle) else f"{MODULE}:{name}",
        "arguments": {f"argument{index}": value for index, value in enumerate(arguments)},
        "positional": len(arguments),
    }
    return worker.ask(request | options, seconds=seconds)


def loss_in(worker: Worker, name: str, *, seconds: float = 30) -> WorkerLost:
    """How the worker was lost in a call that must lose it."""
    with pytest.raises(WorkerLost) as caught:
        answer_of(worker, name, seconds=seconds)
    assert not worker.alive
    return caught.value


def prints(worker: Worker, text: str, *, within: float = 3.0) -> bool:
    """Whether ``text`` is in the worker's output, which arrives beside the answers."""
    deadline = time.monotonic() + within
    while text not in worker.output():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def has_ended(pid: int, *, within: float = 3.0) -> bool:
    """Whether a process is gone, or is a zombie that only waits for whoever adopted it."""
    deadline = time.monotonic() + within
    while _runs(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _runs(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            return status.read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
