"""The main path: a submission in, a Report out; or many, one after another."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from grader import sources
from grader.blocked import mark_blocked
from grader.catalogue import all_checks
from grader.devices import is_gpu, needs_gpu
from grader.errors import GraderError, Outcome, WorkerLost
from grader.intake.submission import SubmissionFiles
from grader.plugin import GraderPlugin, OnResult
from grader.pytest_run import run_checks
from grader.report import environment
from grader.report.devices import on_all_devices
from grader.report.models import CheckResult, NamedMistake, Report, Timing
from grader.report.results import explain_why, no_device, not_run, sentences, submission_of
from grader.rounds import Rounds
from grader.run_state import RunState
from grader.runners.base import Isolation, Leases, Runner
from grader.settings import Settings
from grader.source import Source
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.text import clean
from grader.transcript import Transcript
from grader.verdicts import named_mistakes

if TYPE_CHECKING:  # where everything is live
    from grader.live import Kept

_OWN_TIMEOUT = 120.0
_TRUST: dict[Isolation, str] = {
    "in-process": "isolation.in-process",
    "plain": "isolation.plain",
    "user": "isolation.user",
    "bubblewrap": "isolation.bubblewrap",
    "container": "isolation.container",
}


@dataclass(frozen=True)
class Place:
    """A device on which a submission is asked, and the runner whose workers can."""

    device: str
    runner: Runner


@dataclass(frozen=True)
class Job:
    """One submission to be graded; see ``grade``."""

    submission: SubmissionFiles
    runner: Runner
    settings: Settings
    seed: int
    device: str = "cpu"
    selected: list[str] | None = None
    naming: bool = True
    examples: bool = True
    source: Source | None = None
    on_result: OnResult | None = None
    on_output: Callable[[str], None] | None = None
    also: Sequence[Place] = ()


def grade(
    submission: SubmissionFiles,
    runner: Runner,
    settings: Settings,
    *,
    seed: int,
    source: Source | None = None,
    device: str = "cpu",
    selected: list[str] | None = None,
    naming: bool = True,
    examples: bool = True,
    on_result: OnResult | None = None,
    on_output: Callable[[str], None] | None = None,
    also: Sequence[Place] = (),
) -> Report:
    """Run the selected checks (None: all that have points or are advice) against a submission.

    A fault of the grader itself ends up in the report as ``error`` with ``graded`` false, never as a score.
    Ctrl-C raises KeyboardInterrupt, and nothing keeps running.

    Args:
        naming: name the mistakes, which decides what is carried forward: without it the score may be too low.
        examples: look for a counter-example of every failed check; without names, and with another source than this
            copy's own, there are none.
        seed: of all inputs; the same seed gives the same report outside ``timing``.
        source: of inputs, answers and names; None: this copy's own, live or a kit's.
        on_result: told of every check as it ends.
        on_output: told what the submission printed, cleaned; it is no part of the report, since it may differ from run
            to run.
        device: where the submission's tensors live; workers of ``runner`` have it.
        also: further devices: a check then passes only where it passes on all of them.
    """
    reports: list[Report] = []
    job = Job(
        submission, runner, settings, seed, device, selected, naming, examples, source, on_result, on_output, also
    )
    grade_each([job], reports.append, timeout=own_timeout(runner), by_pytest=True)
    return reports[0]


def own_timeout(runner: Runner) -> float:
    """Seconds after which one check is taken for a hang of our own: the submission's limits come long before."""
    return runner.limits.submission + _OWN_TIMEOUT


def grade_each(jobs: Iterable[Job], done: Callable[[Report], None], *, timeout: float, by_pytest: bool = False) -> None:
    """Grade one submission after another in one run of pytest: the checks are collected once.

    What the oracle and the models of mistakes say to one is kept for the next; see ``oracle.kept``.

    Args:
        jobs: asked for the next one when the last is done.
        timeout: see ``own_timeout``; without ``by_pytest`` whoever asks has a limit of time for each submission.
        by_pytest: see ``rounds.Rounds``.

    Raises:
        GraderError: pytest itself failed.
    """
    torch.set_num_threads(1)  # tensors here are tiny: on a busy machine threads would wait for each other, 100 x slower

    kept = sources.kept()

    def go() -> None:
        for job in jobs:
            done(on_all_devices([_grade(one, rounds, kept) for one in _rounds_of(job)]))

    rounds = Rounds(go, by_pytest=by_pytest)
    error = run_checks(rounds, timeout)
    if rounds.escaped is not None:
        raise rounds.escaped
    if error is not None:
        raise GraderError(error)


def _rounds_of(job: Job) -> Iterator[Job]:
    """The job on one device after another; each result then says which device it is of."""
    if not job.also:
        yield job
        return
    for place in (Place(job.device, job.runner), *job.also):
        yield replace(job, device=place.device, runner=place.runner, also=(), on_result=_telling(job, place.device))


def _telling(job: Job, device: str) -> OnResult | None:
    tell = job.on_result
    if tell is None:
        return None
    return lambda result: tell(result.model_copy(update={"devices": {device: result.outcome}}))


def _grade(job: Job, rounds: Rounds, kept: Kept | None) -> Report:
    """One round."""
    began, started = time.perf_counter(), datetime.datetime.now(datetime.timezone.utc)
    settings, runner = job.settings, job.runner
    checks = [
        check for check in all_checks() if check in settings.worth and (job.selected is None or check in job.selected)
    ]
    can_run = {check for check in checks if is_gpu(job.device) or not needs_gpu(check)}
    if isinstance(runner, Leases):
        runner.take()  # before the submission's time begins
    run = RunState(runner, job.submission.files, job.device)
    source = sources.source(job.seed, kept) if job.source is None else job.source
    rounds.begin(run, settings, source, can_run, job.on_result)
    try:
        error = rounds.run() if can_run else None
        graded = time.perf_counter()
        results = _in_order(rounds, checks, settings, can_run)
        mark_blocked(results, rounds.transcripts)
        mistakes, naming_error = _named(results, rounds, run, source) if error is None and job.naming else ([], None)
        explain_why(results, mistakes)
        run.fresh_worker()
        printed = run.printed  # what the submission prints while examples are tried is the same over and over
        wanted = error is None and job.naming and job.examples and job.source is None
        examples_error = _exemplified(results, rounds, run, job.seed, kept) if wanted else None
    finally:
        run.close()
    if job.on_output is not None and printed:
        job.on_output(clean(printed))
    return Report(
        assignment=settings.assignment.title,
        submission=submission_of(job.submission),
        environment=environment.current(),
        runner=runner.name,
        trusted=runner.trusted,
        isolation=runner.isolation,
        trust=sentences(_TRUST[runner.isolation]),
        device=job.device,
        seed=job.seed,
        selected=sorted(job.selected or []),
        only_at_grading=source.only_at_grading,
        error=None if error is None else clean(error),
        mistakes=mistakes,
        naming_error=naming_error,
        examples_error=examples_error,
        checks=results,
        timing=Timing(
            started=started.isoformat(timespec="seconds"),
            total=time.perf_counter() - began,
            diagnosis=time.perf_counter() - graded,
            checks=rounds.seconds,
        ),
    )


def _named(
    results: list[CheckResult], plugin: GraderPlugin, run: RunState, source: Source
) -> tuple[list[NamedMistake], str | None]:
    """The mistakes by name; a fault of ours in here costs the names and never the grade."""
    borrowing = False

    def lend() -> Student:
        nonlocal borrowing
        if not borrowing:
            run.fresh_worker()
        elif run.lost:
            raise WorkerLost("worker.crash", outcome=Outcome.CRASH, ending="unknown")
        borrowing = True
        return Student(Calls(run))

    try:
        return named_mistakes(results, plugin.transcripts, lend, source), None
    except Exception as fault:  # whatever it was, names are not worth a grade; the report says so
        return [], clean(f"{type(fault).__name__}: {fault}")


def _exemplified(
    results: list[CheckResult], plugin: GraderPlugin, run: RunState, seed: int, kept: Kept | None
) -> str | None:
    """Put counter-examples into the findings; returns why there are some missing, when that is a fault of ours."""
    if not any(result.finding is not None and not result.advice for result in results):
        return None

    def lend(fresh: bool) -> tuple[Student, Transcript]:
        if fresh or run.lost:
            run.fresh_worker()
        transcript = Transcript()
        return Student(Calls(run, transcript)), transcript

    with_imports = run.runner.name != "in-process"
    fault = sources.attach_examples(results, plugin.failing, lend, seed=seed, with_imports=with_imports, kept=kept)
    return None if fault is None else clean(f"{type(fault).__name__}: {fault}")


def _in_order(
    plugin: GraderPlugin, checks: list[str], settings: Settings, can_run: Collection[str]
) -> list[CheckResult]:
    """Every selected check once, in the catalogue's order; one that pytest never collected stays NOT_RUN."""
    known = all_checks()
    return [
        plugin.results.get(check) or (not_run if check in can_run else no_device)(known[check], settings)
        for check in checks
    ]
