"""Grading on the pretended GPU of ``fake_accelerator``, in real workers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from gpu_pretended import PretendedGpuRunner

from grader.report.models import Report
from grader.session import grade

SEED = 20261130


class WarmGpuRunner(PretendedGpuRunner):
    """Keeps its process with torch when ``grade`` closes it."""

    def close(self) -> None:
        """Nothing: see ``end``."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def pretended_gpu() -> Iterator[WarmGpuRunner]:
    """One runner for all tests; a test that needs other limits sets ``limits`` with monkeypatch."""
    if sys.platform != "linux":
        pytest.skip("forks workers, which is safe on Linux only")
    runner = WarmGpuRunner()
    yield runner
    runner.end()


@pytest.fixture
def graded_on_gpu(pretended_gpu, settings) -> Callable[..., Report]:
    """A function: the report of a round on the GPU, which must be a grade."""

    def run(submission, selected=None, **options):
        options = {"seed": SEED, "device": "cuda", "examples": False, "naming": False, **options}
        report = grade(submission, pretended_gpu, settings, selected=selected, **options)
        assert report.graded, report.error
        return report

    return run
