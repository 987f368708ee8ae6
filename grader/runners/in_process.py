"""Serve objects of this very process: no isolation and no limit of time, for practice and for programs of our own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from grader.runners.base import Files, Isolation, Limits
from grader.wire.codec import Value
from grader.worker import flags
from grader.worker.failures import describe
from grader.worker.serve import Describe, Server


class InProcessRunner:
    """Hands out workers that are no processes. What a call does to this process is done.

    Args:
        find: the object at ``package.module:name``; of a name without a colon nothing is expected.
        describe: the record of what went wrong; see ``failures.describe``.
        before_each: sets what each request must find.

    Attributes:
        called: the contract's names that were called since ``take_called``.
    """

    name = "in-process"
    trusted = False
    isolation: Isolation = "in-process"
    limits = Limits(start=math.inf, load=math.inf, call=math.inf, submission=math.inf)

    def __init__(
        self,
        find: Callable[[str], Any],
        describe: Describe = describe,
        before_each: Callable[[], None] = flags.set_strict,
    ) -> None:
        self._find, self._describe, self._before_each = find, describe, before_each
        self.called: set[str] = set()

    def take_called(self) -> frozenset[str]:
        """The names in ``called``, which is empty afterwards."""
        taken = frozenset(self.called)
        self.called.clear()
        return taken

    def prepare(self) -> None:
        """See Runner.prepare."""

    def start(self, files: Files) -> InProcessWorker:
        """See Runner.start; the files are not looked at."""
        return InProcessWorker(self, Server(self._find, self._before_each, self._describe))

    def close(self) -> None:
        """See Runner.close."""


class InProcessWorker:
    """Asks a server in this process."""

    alive = True

    def __init__(self, runner: InProcessRunner, server: Server) -> None:
        self._runner, self._server = runner, server

    def ask(self, request: Mapping[str, Value], *, seconds: float) -> dict[str, Value]:
        """See Worker.ask; it takes as long as it takes.

        Raises:
            KeyboardInterrupt: as the call did; the server takes it for a mistake of the submission's.
        """
        first = cast("list[Mapping[str, Value]]", request.get("first", []))
        for one in (*first, request):
            target = one.get("target")
            if isinstance(target, str):
                self._runner.called.add(target.rpartition(":")[2])
        answer = self._server.answer(dict(request))
        done = cast("list[Mapping[str, Value]]", answer.get("first", []))
        errors = [one.get("error") for one in (*done, answer)]
        if any(isinstance(error, dict) and error.get("type") == "KeyboardInterrupt" for error in errors):
            raise KeyboardInterrupt
        return answer

    def output(self) -> str:
        """Nothing: what is printed is on this process's own streams already."""
        return ""

    def close(self) -> None:
        """See Worker.close."""
