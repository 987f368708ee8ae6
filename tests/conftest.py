"""What many tests share: a warm runner, the course's settings, and submissions that differ in one module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import bank_loader
import engine_here
import hypothesis
import pytest
import torch

from grader import settings as course
from grader.catalogue import all_checks
from grader.contract import PACKAGE
from grader.intake.submission import SubmissionFiles
from grader.runners.base import Files, Limits
from grader.runners.docker.runner import DockerRunner
from grader.runners.local import LocalRunner
from grader.runners.pipe import PipeWorker

hypothesis.settings.register_profile("grader", deadline=None)  # a busy machine is no bug
hypothesis.settings.load_profile("grader")

SubmissionWith = Callable[..., SubmissionFiles]

torch.set_num_threads(1)  # xdist runs a process a core: threads would only wait for each other


class WarmRunner(LocalRunner):
    """A LocalRunner that keeps its process with torch when ``grade`` closes it."""

    def close(self) -> None:
        """Nothing: see ``end``."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def warm_runner() -> Iterator[WarmRunner]:
    """One runner for all tests; a test that needs other limits sets ``limits`` with monkeypatch."""
    # without a sandbox, which would hide a gap; with little memory, so that what takes all of it gets there sooner
    runner = WarmRunner(Limits(memory=1 << 30), sandbox=False)
    runner.prepare()
    yield runner
    runner.end()


class WarmDockerRunner(DockerRunner):
    """A DockerRunner that starts the next submission's container while one is graded."""

    def start(self, files: Files) -> PipeWorker:
        worker = super().start(files)
        self.prepare()
        return worker

    def close(self) -> None:
        """Ends what this submission was in; the rest, see ``end``."""
        self.end_used()

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def warm_docker_runner() -> Iterator[WarmDockerRunner]:
    """One docker runner for all tests, with a container for every submission."""
    engine_here.needed()
    runner = WarmDockerRunner()
    yield runner
    runner.end()


@pytest.fixture(scope="session")
def settings() -> course.Settings:
    """The assignment that comes with the grader."""
    return course.load(None, all_checks())


@pytest.fixture
def submission_with() -> SubmissionWith:
    """A factory: the base submission with text appended to the modules that are named."""

    def make(*, replace: bool = False, extra: dict[str, str] | None = None, **modules: str) -> SubmissionFiles:
        """Return the submission.

        Args:
            replace: put the texts in the modules' place instead of after them.
            extra: further files by path.
            modules: text by module name, e.g. ``norm="raise OSError"``.
        """
        files = dict(bank_loader.base().files)
        for name, text in modules.items():
            path = f"{PACKAGE}/{name}.py"
            files[path] = text if replace else f"{files[path]}\n\n{text}"
        return SubmissionFiles("changed", {**files, **(extra or {})})

    return make


@pytest.fixture
def submission_folder(tmp_path: Path) -> Path:
    """The base submission as a folder that a test may damage."""
    for path, text in bank_loader.base().files.items():
        file = tmp_path / "handed-in" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path / "handed-in"
