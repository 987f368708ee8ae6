"""Grade the whole bank: one process a core, each with a warm runner of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from grader import settings
from grader.catalogue import all_checks
from grader.errors import EARNING
from grader.runners.base import Limits, Runner
from grader.runners.kept import KeptRunner
from grader.selftest.bank import Bank, BankEntry
from grader.selftest.figures import Graded

Task = tuple[BankEntry, int]


_runner: Runner | None = None


def tasks(bank: Path, seeds: Sequence[int], kinds: Sequence[str]) -> list[Task]:
    """Every entry of these kinds; correct ones with all seeds, the others with the first.

    Args:
        kinds: of ``correct``, ``advice``, ``wrong``, ``pair``.
    """
    loaded = Bank(bank)
    found: list[Task] = []
    sources = {"correct": loaded.correct, "advice": loaded.advice, "wrong": loaded.wrong, "pair": loaded.pairs}
    for kind in kinds:
        used = seeds if kind in ("correct", "advice") else seeds[:1]
        found += [(entry, seed) for entry in sources[kind]() for seed in used]
    return found


def run(wanted: Sequence[Task], jobs: int, make_runner: Callable[[Limits], Runner]) -> Iterator[Graded]:
    """Grade all tasks, in whatever order they end; every process of the pool makes a runner of its own."""
    context = multiprocessing.get_context("spawn")  # the pool's processes load torch and start processes themselves
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for future in as_completed([pool.submit(grade_one, task, make_runner) for task in wanted]):
            yield future.result()


def grade_one(task: Task, make_runner: Callable[[Limits], Runner]) -> Graded:
    """Grade one entry in this process."""
    from grader.session import grade

    global _runner  # noqa: PLW0603 - one warm runner a pool process, for the process's life
    entry, seed = task
    loaded = settings.load(None, all_checks())
    _runner = _runner or KeptRunner(make_runner(loaded.limits.for_runner()))
    report = grade(entry.submission, _runner, loaded, seed=seed, examples=False)
    graded = [check for check in report.checks if check.is_graded]
    wrong = sum(check.objects for check in graded)
    failed = {check.id for check in graded if check.outcome not in EARNING}
    return Graded(
        name=entry.name,
        kind=entry.kind,
        area=entry.area,
        seed=seed,
        faults=entry.faults,
        killed_by=entry.killed_by,
        failed=frozenset(failed),
        named=tuple(mistake.id for mistake in report.mistakes),
        lost=report.max_score - (report.score or 0),
        error=report.error,
        seconds_a_failure=report.timing.diagnosis / wrong if wrong else 0.0,
    )
