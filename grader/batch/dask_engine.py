"""Dask's workers as an engine: started here, on loopback only, or those of a scheduler that is given.

A task supervises a slot process, as a thread of ours does: what a submission does to a slot costs no Dask worker. Dask
has no password of its own: whoever reaches a scheduler's port can run code on its workers. Here nothing listens beyond
loopback; a scheduler of your own belongs into a network of its own.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from grader.batch.engines import DASK, Engine
from grader.batch.supervise import grade_in_slot
from grader.devices import gpus_in, parse
from grader.errors import GraderError, UsageError

_LOOPBACK = "127.0.0.1"
_PATIENCE = 10.0
"""Seconds until a scheduler must answer, and have workers."""


class DaskEngine:
    """An engine of ``client``'s workers."""

    name = DASK

    def __init__(self, client: Any, jobs: int, command: Sequence[str], resources: dict[str, float]) -> None:
        self._client, self.jobs, self._command = client, jobs, list(command)
        options = {"resources": resources} if resources else {}
        self._executor = client.get_executor(pure=False, retries=0, **options)

    def submit(self, task: str) -> Future[str]:
        """As in Engine."""
        try:
            future: Future[str] = self._executor.submit(grade_in_slot, task, self._command)
        except Exception as error:  # a client whose scheduler has gone raises whatever it was doing
            raise GraderError(f"Dask takes no more tasks: {type(error).__name__}: {error}") from None
        return future

    def is_gone(self) -> str | None:
        """As in Engine."""
        return None if self._client.status == "running" else f"Dask's scheduler ({self._client.status})"


def _silence() -> None:
    """What its loggers say of a lost connection is a traceback; the run says it in a sentence."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextlib.contextmanager
def dask(jobs: int, command: Sequence[str], *, scheduler: str | None, device: str) -> Iterator[Engine]:
    """An engine of Dask's.

    Args:
        jobs: workers to start here; with a scheduler, as many tasks at a time as its workers have threads.
        scheduler: ``tcp://HOST:PORT``; None: workers are started here.

    Raises:
        UsageError: Dask is not installed, or nothing answers there.
    """
    try:
        import distributed
    except ImportError:
        raise UsageError("Dask is not installed: pip install 'assignment1-grader[cluster]'") from None
    _silence()
    resources = {"GPU": 1.0} if gpus_in(parse(device)) else {}
    with contextlib.ExitStack() as stack:
        if scheduler is None:
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    processes=True,
                    host=_LOOPBACK,  # every port of this, which else is open to the network
                    dashboard_address=f"{_LOOPBACK}:0",
                    worker_dashboard_address=f"{_LOOPBACK}:0",
                    resources=resources or None,
                    silence_logs=50,
                )
            )
            address: Any = cluster
        else:
            address = scheduler
        try:
            client = stack.enter_context(distributed.Client(address, timeout=_PATIENCE, set_as_default=False))
        except (OSError, ValueError) as error:
            raise UsageError(f"no Dask scheduler answers at {scheduler}: {error}") from None
        yield DaskEngine(client, _places(client, resources, scheduler), command, resources)


def _places(client: Any, resources: dict[str, float], scheduler: str | None) -> int:
    """Tasks at a time. Raises UsageError: no worker can take one, and they would wait for ever."""
    deadline = time.monotonic() + _PATIENCE
    while True:  # workers that were started with the scheduler come a moment later
        workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
        able = [one for one in workers if all(one["resources"].get(name, 0) >= resources[name] for name in resources)]
        if able:
            return sum(int(one["nthreads"]) for one in able)
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    if not workers:
        raise UsageError(f"the Dask scheduler at {scheduler} has no workers")
    raise UsageError(
        f"no worker of the Dask scheduler at {scheduler} says that it has a GPU; start one with --resources GPU=1"
    )
