"""``grader check``: the order of steps matters, because the worker and this process import torch at the same time."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader import settings
from grader.catalogue import all_checks
from grader.cli.select import matching
from grader.errors import UsageError
from grader.intake import folder
from grader.runners.local import LocalRunner

FAILED_UNDER, NOT_GRADED = 1, 3


@dataclass(frozen=True)
class CheckRequest:
    """The command's arguments."""

    path: Path | None
    json: Path | None
    seed: int | None
    only: list[str]
    runner: str
    device: str
    fail_under: int | None
    assignment: Path | None
    language: str


def run(request: CheckRequest, console: Console) -> int:
    """Grade, print, write; returns the exit code."""
    if request.device != "cpu":
        raise UsageError(f"unknown device {request.device!r}; this grader runs on cpu")
    if request.json is not None and not request.json.resolve().parent.is_dir():
        raise UsageError(f"no such folder for the report: {request.json.resolve().parent}")
    loaded = settings.load(request.assignment, all_checks())
    available = {check: info for check, info in all_checks().items() if check in loaded.points}
    selected = matching(request.only, available) if request.only else None
    path = request.path or folder.find_above(Path.cwd())
    submission = folder.read(path)

    runner = LocalRunner(loaded.limits.for_runner())
    runner.prepare()  # from here on the worker imports torch, and so does the next line
    from grader.report import json_file
    from grader.report.terminal import Progress, print_report
    from grader.session import fresh_seed, grade

    gc.freeze()  # torch's half a million objects live to the end: no need to look at them again and again
    seed = fresh_seed() if request.seed is None else request.seed
    progress = Progress(console, request.language, total=len(selected or available))
    with progress:
        report = grade(
            submission, runner, loaded, seed=seed, selected=selected, device=request.device, on_result=progress.show
        )
    if request.json is not None:
        json_file.write(report, request.json)
    print_report(console, report, request.language, printed=progress.printed)
    if report.score is None:
        return NOT_GRADED
    return FAILED_UNDER if request.fail_under is not None and report.score < request.fail_under else 0
