"""``grader check``: the order of steps matters, because the worker and this process import torch at the same time."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from grader import settings
from grader.catalogue import CheckInfo, all_checks
from grader.cli.select import matching
from grader.devices import CPU, gpus_in, is_gpu, needs_gpu, number_of, parse
from grader.errors import GraderError, UsageError
from grader.intake.folder import find_above
from grader.intake.read import read
from grader.intake.submission import SubmissionFiles
from grader.report import files
from grader.runners import gpus
from grader.runners.base import Runner
from grader.runners.gpus import Gpu
from grader.runners.leased import LeasedRunner, variables
from grader.runners.local import LocalRunner
from grader.sources import is_kit, seed_for

if TYPE_CHECKING:  # imports pydantic's models only; what is imported before ``prepare`` delays the worker
    from grader.report.models import Report

FAILED_UNDER, NOT_GRADED = 1, 3
WORKER_USER = "assignment1-worker"
"""As in the Dockerfile."""


@dataclass(frozen=True)
class CheckRequest:
    """The command's arguments.

    Attributes:
        full: show also what the assignment keeps from students.
        for_students: report.json holds only what students may see.
    """

    path: Path | None
    json: Path | None
    html: Path | None
    seed: int | None
    only: list[str]
    runner: str
    device: str
    fail_under: int | None
    assignment: Path | None
    language: str
    full: bool = False
    for_students: bool = False


@dataclass(frozen=True)
class Job:
    """A request that was found to make sense.

    Attributes:
        devices: where the submission is asked, one round after another.
        available: the checks that this assignment has for them.
        selected: those that ``--only`` asks for; None: all.
        target: where report.json goes.
        page: where the page goes.
    """

    path: Path
    settings: settings.Settings
    devices: tuple[str, ...]
    available: dict[str, CheckInfo]
    selected: list[str] | None
    target: Path | None
    page: Path | None


def job_of(request: CheckRequest) -> Job:
    """Look at the arguments, before anything runs. Raises UsageError."""
    if request.for_students and (request.json is None or request.full):
        raise UsageError("--for-students says what --json FILE holds, and goes without --full")
    devices = parse(request.device)
    target = None if request.json is None else _report_file(request.json)
    page = None if request.html is None else _report_file(request.html)
    if target is not None and target == page:
        raise UsageError(f"--json and --html name the same file, {request.json}")
    seed_for(request.seed)
    loaded = settings.load(request.assignment, all_checks())
    has_gpu = bool(gpus_in(devices))
    known = {check: info for check, info in all_checks().items() if check in loaded.worth}
    selected = matching(request.only, known) if request.only else None
    available = {check: info for check, info in known.items() if has_gpu or not needs_gpu(check)}
    return Job(request.path or find_above(Path.cwd()), loaded, devices, available, selected, target, page)


def run(request: CheckRequest, console: Console) -> int:
    """Grade, print, write; returns the exit code."""
    job = job_of(request)
    submission = read(job.path)
    gpus.needed(gpus_in(job.devices))
    runner, *others = [runner_of(request.runner, job.settings, device) for device in job.devices]
    runner.prepare()  # from here on the worker imports torch, and so does what ``graded`` imports
    try:
        report = graded(request, job, submission, runner, console, others)
    except KeyboardInterrupt:
        raise GraderError("interrupted") from None
    if report.score is None:
        return NOT_GRADED
    return FAILED_UNDER if request.fail_under is not None and report.score < request.fail_under else 0


def graded(
    request: CheckRequest,
    job: Job,
    submission: SubmissionFiles,
    runner: Runner,
    console: Console,
    others: Sequence[Runner] = (),
) -> Report:
    """One run, with a line for every check that ends; then the report is written and shown. Raises UsageError.

    Args:
        runner: of the job's first device.
        others: of its other devices.
    """
    from grader.report.terminal import Progress, print_report
    from grader.session import Place, grade

    if not gc.get_freeze_count():  # torch's half a million objects live to the end: no need to look at them again
        gc.freeze()
    device, *further = job.devices
    progress = Progress(console, request.language, total=_rounds(job), full=request.full)
    with progress:
        report = grade(
            submission,
            runner,
            job.settings,
            seed=seed_for(request.seed),
            selected=job.selected,
            device=device,
            also=[Place(*place) for place in zip(further, others, strict=True)],
            on_result=progress.show,
            on_output=progress.keep_printed,
        )
    write_reports(report, job, request)
    print_report(console, report, request.language, printed=progress.printed, full=request.full)
    return report


def _rounds(job: Job) -> int:
    """How many results there will be, over all devices."""
    wanted = job.available if job.selected is None else [check for check in job.selected if check in job.available]
    on_cpu = sum(not needs_gpu(check) for check in wanted)
    return sum(len(wanted) if is_gpu(device) else on_cpu for device in job.devices)


def write_reports(report: Report, job: Job, request: CheckRequest) -> None:
    """Write report.json and the page where they are wanted. Raises UsageError."""
    if job.target is not None:
        from grader.report import json_file
        from grader.report.student_view import for_students

        with _writing(job.target):
            json_file.write(for_students(report) if request.for_students else report, job.target)
    if job.page is not None:
        from grader.report.page.render import to_html

        with _writing(job.page):
            files.write(to_html(report, language=request.language, full=request.full), job.page)


def runner_of(name: str, loaded: settings.Settings, device: str = CPU) -> Runner:
    """Where student code runs.

    Raises:
        UsageError: the extra that the runner needs is missing.
        GraderError: PyTorch cannot compute on this device.
    """
    if is_gpu(device):
        if name == "local":
            gpus.torch_needed()
        return LeasedRunner(number_of(device), lambda gpu: runner_on_gpu(name, loaded, gpu))
    limits = loaded.limits.for_runner()
    if name == "local":
        user = _user_for_workers()
        return LocalRunner(limits) if user is None else LocalRunner(limits, user=user)
    return _docker_runner(name, loaded, None)


def runner_on_gpu(name: str, loaded: settings.Settings, gpu: Gpu) -> Runner:
    """The same, with workers that see one GPU. Raises UsageError."""
    if name == "local":
        limits = replace(loaded.limits.for_runner(), memory=0)  # CUDA maps far more addresses than it uses
        return LocalRunner(limits, user=_user_for_workers(), environment=variables(gpu))
    return _docker_runner(name, loaded, gpu)


def _docker_runner(name: str, loaded: settings.Settings, gpu: Gpu | None) -> Runner:
    if is_kit():
        raise UsageError(f"a student kit runs submissions with the local runner, not with {name}")
    from grader.runners.docker.engine import require_sdk
    from grader.runners.docker.runner import DockerRunner

    require_sdk()
    limits, container = loaded.limits.for_runner(), loaded.docker.for_runner()
    if gpu is None:
        return DockerRunner(limits, container)
    inside = variables(Gpu("0"))  # a container has one GPU, whatever number that has outside
    return DockerRunner(limits, container, environment=inside, gpu=gpu.id)


def _user_for_workers() -> int | None:
    """The user that an image of the grader has for this: root drops to it, anybody else stays who they are."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return None
    import pwd

    try:
        return pwd.getpwnam(WORKER_USER).pw_uid
    except KeyError:
        return None


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """What goes wrong now is the caller's to mend: a full disk, a folder that has gone."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"the report cannot be written to {target}: {error.strerror}") from None


def _report_file(given: Path) -> Path:
    """The file to write. Raises UsageError now rather than after a minute of grading."""
    target = given.parent.resolve() / given.name
    if not target.parent.is_dir():
        raise UsageError(f"no such folder for the report: {target.parent}")
    if target.is_symlink() or (target.exists() and not target.is_file()):  # /dev/stdout is to be left alone
        raise UsageError(f"the report cannot be written to {given}: it is not a regular file")
    if not os.access(target.parent, os.W_OK):
        raise UsageError(f"the report cannot be written to {given}: the folder is read-only")
    return target
