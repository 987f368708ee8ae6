"""A client of the engine, and what a test leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import engine_here
import pytest

from grader.runners.base import Limits
from grader.runners.docker.engine import Client
from grader.runners.docker.options import ContainerLimits
from grader.runners.docker.runner import DockerRunner

UNGUARDED = {"GRADER_WORKER_WITHOUT": "landlock,seccomp"}
"""The container alone must hold: as on a kernel that lets the worker give nothing up by itself."""


@pytest.fixture
def client() -> Client:
    """The engine, or a skip."""
    return engine_here.needed()


@pytest.fixture
def runner(client: Client) -> Iterator[DockerRunner]:
    """A runner with little memory and few processes, which leaves no container."""
    before = engine_here.containers(client)
    runner = DockerRunner(Limits(), ContainerLimits(memory=512, processes=48), environment=UNGUARDED)
    yield runner
    runner.close()
    assert engine_here.containers(client) <= before
