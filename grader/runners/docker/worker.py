"""The worker in a container, as the streams and the two functions that PipeWorker needs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from grader.errors import Outcome
from grader.runners.docker.streams import Inbox, Outbox
from grader.runners.launch import GRACE, ending
from grader.wire import relayed

if TYPE_CHECKING:
    from grader.runners.docker.container import Container
    from grader.runners.docker.memory import MemoryWatch

_KILL_TIMEOUT = 1.0
_REAP_TIMEOUT = 5.0  # many times what it takes: a submission that stopped the relay must not stop us
_SIGKILL = -9


class RelayedWorker:
    """One worker of a container's relay.

    Attributes:
        ended: set once no more will come from it.
    """

    def __init__(self, container: Container, memory: MemoryWatch) -> None:
        self._container = container
        self.requests, self.answers, self.errors = Outbox(self._send), Inbox(), Inbox()
        self.ended = threading.Event()
        self._code: int | None = None
        self._killed = False
        self._closed_streams = False
        self._memory = memory
        self._memory_kills = memory.kills

    def receive(self, kind: int, payload: bytes) -> None:
        """Take a message of the relay's. Raises ProtocolError."""
        if kind == relayed.ANSWER:
            self.answers.feed(payload)
        elif kind == relayed.TEXT:
            self.errors.feed(payload)
        elif kind == relayed.CLOSED:
            self.answers.end()
        elif kind == relayed.REFUSED:
            self.errors.feed(payload)
            self.lose()
        elif kind == relayed.ENDED:
            self._code = relayed.exit_code(payload)
            self.lose()

    def lose(self) -> None:
        """Nothing more will come: the worker ended, or the whole container did."""
        for stream in (self.answers, self.errors):
            stream.end()
        self.ended.set()

    def kill(self) -> None:
        """End it; from any thread, and more than once. A reader of the answers returns at once."""
        if self.ended.is_set():
            return
        self._killed = True
        self.answers.end()
        try:
            self._container.send(relayed.pack(relayed.KILL), seconds=_KILL_TIMEOUT)
        except OSError:
            self._container.end()

    def reap(self) -> str:
        """Wait for its end and say how it was."""
        if not self.ended.wait(_REAP_TIMEOUT if self._killed else GRACE):
            self._closed_streams = not self._killed
            self.kill()
            if not self.ended.wait(_REAP_TIMEOUT):  # the relay does not do as it is told
                self._container.end()
        if self._closed_streams:
            return "it closed its streams"
        return "its container ended" if self._code is None else ending(self._code)

    def postmortem(self) -> Outcome:
        """Whose doing the end was, after ``reap``."""
        if self._code is None and not self._container.engine_answers():
            return Outcome.GRADER_ERROR
        if self._killed:
            return Outcome.CRASH
        killed = self._code is None or self._code == _SIGKILL
        if self._memory.wait_for_more_than(self._memory_kills, seconds=0.5 if killed else 0.1):
            return Outcome.OOM
        return Outcome.CRASH

    def _send(self, frame: bytes) -> None:
        if self._killed or self.ended.is_set():
            raise OSError("the worker has ended")
        self._memory_kills = self._memory.kills  # what happens from here on, this request caused
        self._container.send(relayed.pack(relayed.REQUEST, frame))
