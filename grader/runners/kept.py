"""A runner for many runs, of one person or of a whole bank: what one run has warmed up, the next one uses."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from grader.runners.base import Files, Leases, Runner, Worker


@runtime_checkable
class HoldsSubmissions(Protocol):
    """A runner that keeps a place for each submission until it is told that the submission is done."""

    def end_used(self) -> None:
        """End them; what is prepared for the next stays."""


class KeptRunner:
    """Makes ready for the next run where another would end; ``end`` ends it.

    Torch stays imported where workers are forked; elsewhere the next worker imports it meanwhile. A container for the
    next submission is started while this one is graded, and those of this one end with it.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.name, self.trusted, self.isolation = runner.name, runner.trusted, runner.isolation
        self.limits = runner.limits

    def prepare(self) -> None:
        """See Runner.prepare."""
        self._runner.prepare()

    def take(self) -> None:
        """See Leases.take; a runner that needs nothing has it already."""
        if isinstance(self._runner, Leases):
            self._runner.take()

    def start(self, files: Files) -> Worker:
        """See Runner.start."""
        worker = self._runner.start(files)
        self._runner.prepare()
        return worker

    def close(self) -> None:
        """The run is over, the next one will come."""
        if isinstance(self._runner, HoldsSubmissions):
            self._runner.end_used()
        self._runner.prepare()

    def end(self) -> None:
        """End everything."""
        self._runner.close()
