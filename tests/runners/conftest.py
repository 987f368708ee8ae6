"""Every kind of runner, for the tests of what all of them must do."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from grader.runners import bubblewrap
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

SECRET = "do-not-pass-on"

_on_linux = pytest.mark.skipif(sys.platform != "linux", reason="forks only where that is safe")
_with_bubblewrap = pytest.mark.skipif(not bubblewrap.is_available(), reason="no bubblewrap, or no namespaces for it")


@pytest.fixture(
    scope="module", params=[pytest.param(False, id="spawn"), pytest.param(True, id="fork", marks=_on_linux)]
)
def forks(request: pytest.FixtureRequest) -> bool:
    """Whether a runner without a sandbox forks its workers from one process or starts each afresh."""
    return request.param


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({"fork": False}, id="spawn"),
        pytest.param({"fork": True, "sandbox": False}, id="fork", marks=_on_linux),
        pytest.param({"fork": True, "sandbox": True}, id="bubblewrap", marks=_with_bubblewrap),
    ],
)
def kind(request: pytest.FixtureRequest) -> dict[str, bool]:
    """How a runner starts its workers."""
    return request.param


@pytest.fixture(scope="module")
def runner(kind: dict[str, bool]) -> Iterator[LocalRunner]:
    """A runner that was made while the environment held a secret."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_TOKEN", SECRET)
        runner = LocalRunner(Limits(output=1 << 20, kept_output=4 << 10), **kind)
        runner.prepare()
    yield runner
    runner.close()
