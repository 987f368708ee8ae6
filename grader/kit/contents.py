"""What of the grader is in a kit, and what is not: every file is on one of two lists, which a test holds to.

What stands on neither is left out when a kit is built, so that something new cannot slip into one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import grader

PACKAGE = Path(grader.__file__).parent

IN = (
    "__init__.py",
    "__main__.py",
    "blocked.py",
    "catalogue.py",
    "checks",  # the public ones, see ``public.check_file``
    "cli",
    "contract.py",
    "diagnosis",
    "devices.py",
    "errors.py",
    "feedback",
    "intake",
    "key",
    "numerics",
    "penalties.py",
    "pictures.py",
    "plugin.py",
    "practice",
    "pytest_entry.py",
    "pytest_mixed.py",
    "pytest_run.py",
    "report",
    "rounds.py",
    "run_state.py",
    "runners",
    "session.py",
    "settings.py",
    "source.py",
    "sources.py",
    "student",
    "template.py",
    "text.py",
    "transcript.py",
    "verdicts.py",
    "wire",
    "worker",
)
OUT = (
    # what is right
    "oracle",
    "live.py",
    "counterexample",
    "needed_names.py",
    "numerics/bounds.py",
    "numerics/designed.py",
    "numerics/draw.py",
    "numerics/noise.py",
    # what goes wrong: programs that are right but for one mistake
    "diagnosis/borrowed.py",
    "diagnosis/mistakes",
    "diagnosis/program",
    "diagnosis/replay.py",
    # what an instructor needs
    "assignment.toml",  # a kit has its own
    "batch",
    "cli/batch.py",
    "cli/batch_shown.py",
    "cli/diff.py",
    "cli/doctor.py",
    "cli/export.py",
    "cli/export_words.py",
    "cli/image.py",
    "cli/kit.py",
    "cli/merge.py",
    "cli/replay.py",
    "cli/report.py",
    "cli/selftest.py",
    "cli/slot.py",
    "doctor",
    "exports",
    "key/key.json",  # as this
    "key/key.safetensors.gz",
    "kit",
    "report/site",
    "report/summary.py",
    "report/summary.schema.json",
    "runners/docker/attach.py",
    "runners/docker/build.py",
    "runners/docker/container.py",
    "runners/docker/engine.py",
    "runners/docker/image.py",
    "runners/docker/memory.py",
    "runners/docker/recipe",
    "runners/docker/runner.py",
    "runners/docker/streams.py",
    "runners/docker/sweep.py",
    "runners/docker/worker.py",
    "selftest",
    "submissions_template",  # comes from ``template.files``
)


def files() -> Iterator[str]:
    """Every file of the package that is no cache, with forward slashes."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(PACKAGE).as_posix()


def is_in(file: str) -> bool:
    """Whether a kit holds ``file``."""
    return _listed(file, IN) and not _listed(file, OUT)


def is_placed(file: str) -> bool:
    """Whether somebody decided about ``file``."""
    return _listed(file, IN) or _listed(file, OUT)


def _listed(file: str, entries: tuple[str, ...]) -> bool:
    path = PurePosixPath(file)
    return any(str(place) in entries for place in (path, *path.parents))
