"""Run every submission in a container of its own."""

from __future__ import annotations

import dataclasses
import threading

from grader.errors import RunnerUnavailable
from grader.runners.base import Files, Isolation, Limits
from grader.runners.docker import image, sweep
from grader.runners.docker.container import Container
from grader.runners.docker.engine import Client, connect
from grader.runners.docker.options import ContainerLimits, create_options
from grader.runners.pipe import PipeWorker

_REPLACEMENT_START = 10.0  # seconds; 500 times what a fork takes, for a container that a submission may have broken
_SPARE_TIME = 600.0  # seconds that a container may wait, prepared, and that a run may take beyond its limit


class DockerRunner:
    """Starts workers in containers: one container a submission, one fork a worker.

    Args:
        limits: see Limits.
        container: see ContainerLimits.
        host: the engine's address; None: ``DOCKER_HOST`` or the default socket.
        environment: added to the worker's few variables.
        gpu: the one GPU that containers get, as the engine names it; None: none.
    """

    name = "docker"
    trusted = True
    isolation: Isolation = "container"

    def __init__(
        self,
        limits: Limits | None = None,
        container: ContainerLimits | None = None,
        *,
        host: str | None = None,
        environment: dict[str, str] | None = None,
        gpu: str | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._settings, self._host, self._gpu = container or ContainerLimits(), host, gpu
        self._environment = environment or {}
        self._client: Client | None = None
        self._connecting = threading.Lock()
        self._used: list[tuple[Files, Container]] = []
        self._next: _Starting | None = None

    def prepare(self) -> None:
        """See Runner.prepare."""
        if self._next is None:
            self._next = _Starting(self)

    def start(self, files: Files) -> PipeWorker:
        """See Runner.start."""
        own = [container for known, container in self._used if known == files and container.usable]
        if own:
            try:
                limits = dataclasses.replace(self.limits, start=min(self.limits.start, _REPLACEMENT_START))
                return self._start_in(own[0], files, limits)
            except RunnerUnavailable:  # what the last worker did to its container is the submission's doing
                own[0].end()
        self.prepare()
        starting, self._next = self._next, None
        assert starting is not None  # noqa: S101 - prepare made it
        container = starting.result()
        self._used.append((dict(files), container))
        container.wait_until_up(self.limits.start)
        return self._start_in(container, files, self.limits)

    def close(self) -> None:
        """See Runner.close."""
        if self._next is not None:
            self._next.end()
            self._next = None
        self.end_used()
        if self._client is not None:
            self._client.close()
            self._client = None

    def end_used(self) -> None:
        """End the containers that a submission was in; one that is prepared stays, for the next submission."""
        for _, container in self._used:
            container.end()
        self._used.clear()

    def start_container(self) -> Container:
        """Start a container that holds nothing of any submission yet. Raises RunnerUnavailable."""
        with self._connecting:
            first = self._client is None
            client = self._client = self._client or connect(self._host)
            if first:
                sweep.sweep(client)
        lifetime = self.limits.submission + self.limits.start + _SPARE_TIME
        return Container(
            client,
            image.find(client, self._settings.image),
            create_options(self._settings, self._environment, gpu=self._gpu),
            labels=sweep.labels(lifetime=lifetime),
            lifetime=lifetime,
        )

    def _start_in(self, container: Container, files: Files, limits: Limits) -> PipeWorker:
        worker = PipeWorker(container.launch(), limits)
        worker.wait_until_ready(files)
        return worker


class _Starting:
    """A container that a thread starts, so that this process can import torch meanwhile."""

    def __init__(self, runner: DockerRunner) -> None:
        self._container: Container | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(runner,), name="grader-start", daemon=True)
        self._thread.start()

    def result(self) -> Container:
        """Wait for it. Raises what starting raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._container is not None  # noqa: S101 - one of the two is set
        return self._container

    def end(self) -> None:
        """End the container, once it is there."""
        self._thread.join()
        if self._container is not None:
            self._container.end()

    def _run(self, runner: DockerRunner) -> None:
        try:
            self._container = runner.start_container()
        except BaseException as error:  # raised again where the container is asked for
            self._error = error
