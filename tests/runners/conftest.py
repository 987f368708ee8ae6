"""Every kind of runner, for the tests of what all of them must do."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator

import engine_here
import pytest

from grader.runners import bubblewrap
from grader.runners.base import Limits, Runner
from grader.runners.docker.runner import DockerRunner
from grader.runners.local import LocalRunner

SECRET = "do-not-pass-on"

MAKERS: dict[str, Callable[..., Runner]] = {
    "spawn": functools.partial(LocalRunner, fork=False),
    "fork": functools.partial(LocalRunner, fork=True, sandbox=False),
    "bubblewrap": functools.partial(LocalRunner, fork=True, sandbox=True),
    "docker": DockerRunner,
}
LOCAL = [
    pytest.param("spawn"),
    pytest.param("fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="forks only where that is safe")),
]
SANDBOX = pytest.param(
    "bubblewrap",
    marks=pytest.mark.skipif(not bubblewrap.is_available(), reason="no bubblewrap, or no namespaces for it"),
)


@pytest.fixture(scope="module", params=[*LOCAL, SANDBOX, pytest.param("docker", marks=pytest.mark.docker)])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of runner."""
    if request.param == "docker":
        engine_here.needed()
    return request.param


@pytest.fixture(scope="module", params=LOCAL)
def forks(request: pytest.FixtureRequest) -> bool:
    """For what concerns local runners alone: whether it forks its workers from one process or starts each afresh."""
    return request.param == "fork"


@pytest.fixture(scope="module")
def new_runner(kind: str) -> Callable[..., Runner]:
    """Make a runner of the kind: ``new_runner(limits, environment=...)``."""
    return MAKERS[kind]


@pytest.fixture(scope="module")
def runner(new_runner) -> Iterator[Runner]:
    """A runner that was made while the environment held a secret."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_TOKEN", SECRET)
        runner = new_runner(Limits(output=1 << 20, kept_output=4 << 10))
        runner.prepare()
    yield runner
    runner.close()


@pytest.fixture
def processes(kind: str) -> engine_here.HostProcesses | engine_here.ContainerProcesses:
    """The processes of the runner's workers, by the ids that the workers themselves see."""
    if kind == "docker":
        return engine_here.ContainerProcesses(engine_here.needed())
    return engine_here.HostProcesses()
