"""PID 1's child in a container: forks workers from a process with torch imported, and carries their bytes.

``python -I -m grader.worker.relay SECONDS``, messages (``grader.wire.relayed``) on standard input and output. It never
runs student code. It shares a user with it, though: a submission that kills or stops this process ends its own
container, and the verifier believes nothing from in here anyway.

One worker at a time, so that its end is one ``kill(-1)``: in a PID namespace that reaches every process that the worker
left behind, daemons and fork bombs included, in one step and without a race.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import sys
import time
from pathlib import Path

from grader.wire import relayed
from grader.worker.__main__ import main as serve

_SET_DUMPABLE = 4  # linux/prctl.h
_OOM_FIRST = "800"
_FORK_PATIENCE = 2.0  # seconds; processes that were killed count against the limit until they are gone
_PIPES_HOLD = 4 << 20  # bytes; more cannot be left in the pipes of a worker that has ended


def main() -> None:
    """Serve until the verifier closes the stream, or for SECONDS: a verifier that was killed leaves nothing behind."""
    if os.getppid() != 1 or os.getuid() != relayed.WORKER_UID:  # kill(-1) anywhere else would end a user's session
        sys.exit("the relay runs in the worker's container only")
    signal.alarm(int(sys.argv[1]))
    orders, reports = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # closes /proc/PID/fd and ptrace to the worker, which is us too
    _Relay(orders, reports).run()


class _Relay:
    """The loop, and the one worker that may run."""

    def __init__(self, orders: int, reports: int) -> None:
        self._orders, self._reports = orders, reports
        self._decoder = relayed.Decoder()
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ, self._read_orders)
        woken, wakes = os.pipe()
        for end in (woken, wakes):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # the wake-up needs a handler
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        self._woken = woken
        self._selector.register(woken, selectors.EVENT_READ, self._see_children)
        self._pid = 0
        self._requests = self._answers = self._errors = -1
        self._pending = bytearray()

    def run(self) -> None:
        """Carry bytes until the orders end."""
        self._report(relayed.pack(relayed.UP))
        while True:
            for key, _ in self._selector.select():
                if key.fd in self._selector.get_map():  # an earlier one of this round may have ended the worker
                    key.data()

    def _read_orders(self) -> None:
        data = os.read(self._orders, 1 << 16)
        if not data:
            _kill_everything_else()
            os._exit(0)
        for kind, payload in self._decoder.feed(data):
            if kind == relayed.START:
                self._start()
            elif kind == relayed.REQUEST and self._pid:
                self._pending += payload
                self._write_requests()
            elif kind == relayed.KILL and self._pid:
                _kill_everything_else()
                self._finish(os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]))

    def _start(self) -> None:
        pipes = [os.pipe() for _ in range(3)]
        (request_read, self._requests), (self._answers, answer_write), (self._errors, error_write) = pipes
        theirs = (request_read, answer_write, error_write)
        try:
            self._pid = _fork(theirs)
        except OSError as error:
            for pipe in (self._requests, self._answers, self._errors):
                os.close(pipe)
            self._report(relayed.pack(relayed.REFUSED, str(error).encode()))
            return
        finally:
            for pipe in theirs:
                os.close(pipe)
        for pipe in (self._requests, self._answers, self._errors):
            os.set_blocking(pipe, False)
        self._selector.register(self._answers, selectors.EVENT_READ, self._read_answers)
        self._selector.register(self._errors, selectors.EVENT_READ, self._read_errors)

    def _write_requests(self) -> None:
        """Hand on what the pipe takes; a worker that does not read must not keep us from hearing KILL."""
        try:
            while self._pending:
                del self._pending[: os.write(self._requests, self._pending[: 1 << 20])]
        except BlockingIOError:
            if self._requests not in self._selector.get_map():
                self._selector.register(self._requests, selectors.EVENT_WRITE, self._write_requests)
            return
        except OSError:  # it closed its input; that it ended, or answers nothing, is seen elsewhere
            self._pending.clear()
        self._forget(self._requests)

    def _read_answers(self) -> None:
        if not self._carry(self._answers, relayed.ANSWER):
            self._forget(self._answers)
            self._report(relayed.pack(relayed.CLOSED))

    def _read_errors(self) -> None:
        if not self._carry(self._errors, relayed.TEXT):
            self._forget(self._errors)

    def _carry(self, source: int, kind: int) -> int:
        """Pass on what is there; returns how much that was, 0 at the end of the stream."""
        data = os.read(source, relayed.MAX_PAYLOAD)
        if data:
            self._report(relayed.pack(kind, data))
        return len(data)

    def _see_children(self) -> None:
        os.read(self._woken, 4096)
        if self._pid:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                _kill_everything_else()
                self._finish(os.waitstatus_to_exitcode(status))

    def _finish(self, code: int) -> None:
        """Report a worker's last bytes and its end."""
        for source, kind in ((self._answers, relayed.ANSWER), (self._errors, relayed.TEXT)):
            carried = 0
            with contextlib.suppress(BlockingIOError):  # one that is not quite dead yet may hold the other end
                while carried < _PIPES_HOLD and (size := self._carry(source, kind)):
                    carried += size
        for pipe in (self._requests, self._answers, self._errors):
            self._forget(pipe)
            os.close(pipe)
        self._pid = 0
        self._pending.clear()
        self._report(relayed.pack_exit(code))

    def _forget(self, descriptor: int) -> None:
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)

    def _report(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._reports, view) :]


def _fork(streams: tuple[int, ...]) -> int:
    """Fork a worker on three descriptors. Raises OSError."""
    deadline = time.monotonic() + _FORK_PATIENCE
    while True:
        try:
            pid = os.fork()
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for target, descriptor in enumerate(streams):
            os.dup2(descriptor, target)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 1, 0, 0, 0)  # else its own /proc would be closed to it
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_FIRST)  # memory runs out: the worker goes, not the relay
        try:
            serve()
        except BaseException:  # a submission can break even this; the traceback is part of what it printed
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    return pid


def _kill_everything_else() -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(-1, signal.SIGKILL)


if __name__ == "__main__":
    main()
