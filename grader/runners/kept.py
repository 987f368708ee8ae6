"""A runner for many runs, of one person or of a whole bank: what one run has warmed up, the next one uses."""

from __future__ import annotations

from grader.runners.base import Files, Runner, Worker


class KeptRunner:
    """Makes ready for the next run where another would end; ``end`` ends it.

    Torch stays imported where workers are forked; elsewhere the next worker imports it meanwhile.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.name, self.trusted, self.isolation = runner.name, runner.trusted, runner.isolation
        self.limits = runner.limits

    def prepare(self) -> None:
        """See Runner.prepare."""
        self._runner.prepare()

    def start(self, files: Files) -> Worker:
        """See Runner.start."""
        return self._runner.start(files)

    def close(self) -> None:
        """The run is over, the next one will come."""
        self._runner.prepare()

    def end(self) -> None:
        """End everything."""
        self._runner.close()
