"""What the grader needs of a place where student code runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from grader.wire.codec import Value

Files = Mapping[str, str]
"""The submission: source text by relative path with forward slashes."""

Isolation = Literal["in-process", "plain", "user", "bubblewrap", "container"]
"""What stands between a submission and the grader: nothing, a process, another user, a sandbox, a container."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Times in seconds, sizes in bytes.

    Attributes:
        start: for the worker to become ready; longer is *our* fault.
        load: for the import of one student module.
        call: for one call of a student function.
        output: of text on stdout and stderr together; more ends the worker.
        kept_output: of that text, how much is kept for the report.
        submission: for all of one submission; checks after that end as timeout.
        memory: for one worker, beyond what torch takes; 0: no limit.
    """

    start: float = 120.0
    load: float = 20.0
    call: float = 10.0
    output: int = 8 << 20
    kept_output: int = 64 << 10
    submission: float = 300.0
    memory: int = 4 << 30


class Worker(Protocol):
    """One running worker. A student's fault comes back as WorkerLost or as an answer, ours as GraderError."""

    @property
    def alive(self) -> bool:
        """False once the worker was lost; the caller then starts another."""
        ...

    def ask(self, request: Mapping[str, Value], *, seconds: float) -> dict[str, Value]:
        """Send one request and return its answer. Raises WorkerLost."""
        ...

    def output(self) -> str:
        """What the submission printed so far, cut to ``Limits.kept_output``."""
        ...

    def close(self) -> None:
        """End the worker, whatever state it is in. Safe to call twice."""
        ...


class Runner(Protocol):
    """Starts workers. Every implementation must pass tests/runners/test_runner_*.py."""

    name: str
    trusted: bool
    isolation: Isolation
    limits: Limits

    def prepare(self) -> None:
        """Begin to start a worker in the background, so that it is ready when ``start`` is called."""
        ...

    def start(self, files: Files) -> Worker:
        """Return a worker that holds ``files``. Raises RunnerUnavailable."""
        ...

    def close(self) -> None:
        """End whatever ``prepare`` began and ``start`` did not hand out."""
        ...


@runtime_checkable
class Leases(Protocol):
    """A runner that needs something of the machine for the time of a round, which others may hold now."""

    def take(self) -> None:
        """Wait for it; ``close`` gives it back. Raises GraderError."""
        ...
