"""What one run knows about the submission between checks: the live worker, import failures, and time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from grader.devices import CPU, in_worker, is_gpu
from grader.errors import CheckFailure, Outcome, RunnerUnavailable, WorkerLost
from grader.runners.base import Files, Runner, Worker

SECOND_CHANCE, EACH_MORE = 2.0, 1.0


@dataclass
class RunState:
    """Shared by all checks of one submission.

    Attributes:
        imports: what importing each student module gave: None, or the failure that stands for every later use.
        device: where the submission is asked; see ``grader.devices``.
        defaults: what changed the global default device, by the contract's name, and to which.
        printed: what the submission printed, but not after a hidden check began.
        slow: what already timed out once; it gets SECOND_CHANCE seconds a call from then on, so that one hang that many
            checks touch does not cost the full limit each time.
    """

    runner: Runner
    files: Files
    device: str = CPU
    defaults: dict[str, str] = field(default_factory=dict)
    imports: dict[str, CheckFailure | None] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    printed: str = ""
    _hidden: bool = False
    _worker: Worker | None = None
    _began: float = field(default_factory=time.monotonic)

    def worker(self) -> Worker:
        """The worker on the submission, a new one if the last was lost. Raises WorkerLost when time is used up."""
        budget = self.runner.limits.submission
        if time.monotonic() - self._began > budget:
            raise WorkerLost("worker.budget", outcome=Outcome.TIMEOUT, seconds=f"{budget:g}")
        if self._worker is None or not self._worker.alive:
            self._remember_output()
            self._worker = self.runner.start(self.files)
            if is_gpu(self.device):
                self._make_device_ready(self._worker)
        return self._worker

    def fresh_worker(self) -> None:
        """End the worker; the next one has seen nothing of what was asked before."""
        self._remember_output()
        if self._worker is not None:
            self._worker.close()
        self._worker = None

    def begin_hidden(self) -> None:
        """From here on hidden checks run: in a new worker, whose output nobody sees."""
        if not self._hidden:
            self.fresh_worker()
            self._hidden = True

    @property
    def lost(self) -> bool:
        """Whether the present worker is gone."""
        return self._worker is not None and not self._worker.alive

    def seconds(self, name: str, calls: int = 1) -> float:
        """How long calls of ``name`` that are asked together may take: as one, and EACH_MORE for every other.

        A submission's own budget leaves half a second a call: one that hangs in a frame of many need not take longer.
        """
        limit = self.runner.limits.call
        limit = min(limit, SECOND_CHANCE) if name in self.slow else limit
        return limit + (calls - 1) * min(limit, EACH_MORE)

    def close(self) -> None:
        """End the worker."""
        self._remember_output()
        if self._worker is not None:
            self._worker.close()
        self.runner.close()

    def _make_device_ready(self, worker: Worker) -> None:
        """Seconds of CUDA's own, before any of the submission's code: they and what fails in them are ours."""
        try:
            answer = worker.ask({"op": "device", "device": in_worker(self.device)}, seconds=self.runner.limits.start)
        except WorkerLost as lost:
            raise RunnerUnavailable(f"the worker was lost while it made {self.device} ready: {lost}") from None
        error = answer.get("error")
        if isinstance(error, dict):
            raise RunnerUnavailable(f"{self.device} cannot be used: {str(error.get('message'))[:500]}")

    def _remember_output(self) -> None:
        if self._worker is not None and not self._hidden:
            self.printed = (self.printed + self._worker.output())[: self.runner.limits.kept_output]
