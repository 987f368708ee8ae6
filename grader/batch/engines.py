"""Where tasks run: each engine is a ``concurrent.futures.Executor`` for ``grade_in_slot``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Protocol

from grader.batch.supervise import end_all_slots, grade_in_slot, start_slot

SLOTS, DASK = "slots", "dask"


class Engine(Protocol):
    """Runs tasks at once in ``jobs`` places."""

    name: str
    jobs: int

    def submit(self, task: str) -> Future[str]:
        """Grade a task (JSON), somewhere and soon. Raises GraderError when the engine has gone."""

    def is_gone(self) -> str | None:
        """Why nothing will be graded any more; None: all is well."""


class Slots:
    """Processes of this machine, each watched over by a thread of ours."""

    name = SLOTS

    def __init__(self, jobs: int, command: Sequence[str]) -> None:
        self.jobs, self._command = jobs, list(command)
        self._pool: Executor = ThreadPoolExecutor(
            jobs, "grader-slot", initializer=start_slot, initargs=(self._command,)
        )

    def submit(self, task: str) -> Future[str]:
        """As in Engine."""
        return self._pool.submit(grade_in_slot, task, self._command)

    def is_gone(self) -> str | None:
        """As in Engine: this machine is there as long as we are."""
        return None

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        end_all_slots()


@contextlib.contextmanager
def slots(jobs: int, command: Sequence[str]) -> Iterator[Engine]:
    """An engine of ``jobs`` processes here."""
    engine = Slots(jobs, command)
    try:
        yield engine
    finally:
        engine.end()


MakeEngine = Callable[[], contextlib.AbstractContextManager[Engine]]
