"""A runner whose workers compute on a GPU: it holds one while a round runs, and workers see that one alone."""

from __future__ import annotations

from collections.abc import Callable

from grader.errors import GraderError
from grader.runners.base import Files, Isolation, Runner, Worker
from grader.runners.gpus import Gpu, Lease
from grader.runners.kept import HoldsSubmissions
from grader.runners.launch import GPUS

CUDA_VARIABLES = {
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # is_available() asks the driver, and makes no context before a fork
    "CUDA_CACHE_DISABLE": "1",  # a worker writes no files
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",  # the same sums in the same order
}


def variables(gpu: Gpu) -> dict[str, str]:
    """What a worker's environment needs so that ``gpu`` is its ``cuda:0``, and the only one."""
    return {GPUS: gpu.id, **CUDA_VARIABLES}


class LeasedRunner:
    """Makes a runner for each GPU that it gets, and keeps it for the next round on the same one.

    Args:
        number: of the GPU; None: whichever is free when a round begins.
        make: a runner whose workers see this GPU.
        lease: takes a GPU; see ``gpus.Lease``.
    """

    def __init__(
        self, number: int | None, make: Callable[[Gpu], Runner], lease: Callable[[int | None], Lease] = Lease
    ) -> None:
        self._number, self._make, self._take = number, make, lease
        self._runners: dict[str, Runner] = {}
        self._lease: Lease | None = None
        model = make(Gpu(""))  # starts nothing before it is prepared
        self.name: str = model.name
        self.trusted: bool = model.trusted
        self.isolation: Isolation = model.isolation
        self.limits = model.limits

    def take(self) -> None:
        """See Leases.take."""
        if self._lease is None:
            self._lease = self._take(self._number)
            self._runner().prepare()

    def prepare(self) -> None:
        """Nothing before a GPU is held: who waits for one must not keep another."""
        if self._lease is not None:
            self._runner().prepare()

    def start(self, files: Files) -> Worker:
        """See Runner.start."""
        self.take()
        return self._runner().start(files)

    def end_used(self) -> None:
        """The round is over: the GPU is free, and what was warmed up for it stays."""
        runner = self._runners.get(self._lease.gpu.id) if self._lease is not None else None
        if isinstance(runner, HoldsSubmissions):
            runner.end_used()
        self._free()

    def close(self) -> None:
        """See Runner.close."""
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()
        self._free()

    def _free(self) -> None:
        if self._lease is not None:
            self._lease.end()
            self._lease = None

    def _runner(self) -> Runner:
        if self._lease is None:
            raise GraderError("a worker on a GPU was asked for before one was taken")
        gpu = self._lease.gpu
        if gpu.id not in self._runners:
            self._runners[gpu.id] = self._make(gpu)
        return self._runners[gpu.id]
