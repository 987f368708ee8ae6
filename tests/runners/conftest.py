"""Every kind of runner, for the tests of what all of them must do."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from grader.runners.base import Limits
from grader.runners.local import LocalRunner

SECRET = "do-not-pass-on"

KINDS = [
    pytest.param(False, id="spawn"),
    pytest.param(
        True, id="fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="forks only where that is safe")
    ),
]


@pytest.fixture(scope="module", params=KINDS)
def forks(request: pytest.FixtureRequest) -> bool:
    """Whether the runner forks its workers from one process or starts each afresh."""
    return request.param


@pytest.fixture(scope="module")
def runner(forks: bool) -> Iterator[LocalRunner]:
    """A runner that was made while the environment held a secret."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_TOKEN", SECRET)
        runner = LocalRunner(Limits(output=1 << 20, kept_output=4 << 10), fork=forks)
        runner.prepare()
    yield runner
    runner.close()
