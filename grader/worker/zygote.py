"""Fork workers on order: ``python -I -m grader.worker.zygote CONTROL_FD``. Never runs student code itself.

Orders on the control socket are one letter and a pid (i64): ``f`` fork a worker whose standard streams are the three
descriptors that come along, ``w`` wait for a worker. Replies are two i64: pid, and how it ended (as subprocess says it,
or ALIVE when it had to be killed). With the reply to ``f`` comes a descriptor of the new process, where the kernel has
such: in a sandbox, pids mean nothing to whoever asked.

What a worker started ends with it: children in its process group by one kill, and daemons that left the group because
this process adopts orphans (``PR_SET_CHILD_SUBREAPER``), sees them as its own children, and ends those too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path

from grader.worker.__main__ import main as serve
from grader.worker.defences import Defences
from grader.worker.warm import warm_up

_REPLY = struct.Struct("<qq")
_ORDER = 9
_ALIVE = 1 << 32
_GRACE = 1.0
_SET_CHILD_SUBREAPER, _SET_PARENT_DEATH_SIGNAL = 36, 1  # linux/prctl.h


def main() -> None:
    """Obey until the control socket closes; then no worker outlives us."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    defences = Defences(os.environ)
    warm_up()
    gc.freeze()  # a worker that looked for garbage among torch's objects would write to, and so copy, all their pages
    workers: set[int] = set()
    while True:
        order, descriptors, _, _ = socket.recv_fds(control, _ORDER, 3)
        if len(order) < _ORDER:
            break
        (pid,) = struct.unpack("<q", order[1:])
        if order[:1] == b"f":
            pid = _fork(control, descriptors, defences)
            workers.add(pid)
            _reply_with_process(control, pid)
        else:
            control.sendall(_REPLY.pack(pid, _reap(pid)))
            workers.discard(pid)
            _end_children(but=workers)
    _end_children(but=set())
    os._exit(0)  # taking torch apart would only cost time


def _fork(control: socket.socket, descriptors: list[int], defences: Defences) -> int:
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        os.setsid()  # its own process group, so that a kill reaches what it started
        control.close()
        for target, descriptor in enumerate(descriptors):
            os.dup2(descriptor, target)
            os.close(descriptor)
        serve(defences)
        os._exit(0)
    for descriptor in descriptors:
        os.close(descriptor)
    return pid


def _reply_with_process(control: socket.socket, pid: int) -> None:
    try:
        process = [os.pidfd_open(pid)]
    except (AttributeError, OSError):  # before Linux 5.3
        process = []
    socket.send_fds(control, [_REPLY.pack(pid, 0)], process)
    for descriptor in process:
        os.close(descriptor)


def _reap(pid: int) -> int:
    """Wait for a worker to end, kill it after a moment, and then its whole group."""
    deadline = time.monotonic() + _GRACE
    status: int | None = None
    while status is None and time.monotonic() < deadline:
        status = _poll(pid)
        if status is None:
            time.sleep(0.002)
    alive = status is None
    _kill_group(pid)
    if alive:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    return _ALIVE if status is None else status


def _poll(pid: int) -> int | None:
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if found else None


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _end_children(but: set[int]) -> None:
    """Kill every child and, as they become ours, their children: all that workers left behind."""
    deadline = time.monotonic() + _GRACE
    while (strays := _children() - but) and time.monotonic() < deadline:
        for pid in strays:
            _kill_group(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> set[int]:
    try:
        listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except OSError:  # a kernel without that file: only process groups are ended
        return set()
    return {int(pid) for pid in listed.split()}


if __name__ == "__main__":
    main()
