"""How often a correct submission loses a check: every whole style and every part of the bank, over seeds.

A false fail is a graded check that a correct submission does not pass; advice does not count.

    python benchmarks/false_fails.py [--seeds N] [--part-seeds N] [--parts N] [--jobs N]

Exit code 1 when there was one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import bank_loader

from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.intake.submission import SubmissionFiles
from grader.runners.kept import KeptRunner
from grader.runners.local import LocalRunner
from grader.session import grade
from grader.settings import load


class Grade(NamedTuple):
    """One submission graded with one seed."""

    submission: str
    seed: int
    checks: int
    false_fails: list[str]


def main() -> None:
    """Grade, and print a line for each kind of submission and for each false fail."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1..N for each whole style (default 20)")
    parser.add_argument("--part-seeds", type=int, default=3, help="seeds 1..N for each single part (default 3)")
    parser.add_argument("--parts", type=int, default=10**6, help="only so many of the single parts, evenly chosen")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    given = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")  # a fork of a process with torch's threads may hang
    failed = False
    print(f"{'correct submissions':<20} {'number':>6} {'seeds':>5} {'grades':>6} {'verdicts':>8} {'false fails':>11}")
    with ProcessPoolExecutor(given.jobs, mp_context=spawn) as pool:
        for title, kind, seeds in (("whole styles", "correct", given.seeds), ("parts", "parts", given.part_seeds)):
            names = [submission.name for submission in submissions(kind)]
            if kind == "parts":
                names = names[:: max(1, len(names) // given.parts)]
            work = list(product(names, range(1, seeds + 1)))
            grades = list(pool.map(partial(graded, kind), *zip(*work, strict=True))) if work else []
            verdicts, lost = sum(one.checks for one in grades), sum(len(one.false_fails) for one in grades)
            print(f"{title:<20} {len(names):>6} {seeds:>5} {len(grades):>6} {verdicts:>8} {lost:>11}", flush=True)
            for line in lines(grades):
                print(f"  {line}", flush=True)
            failed = failed or lost > 0
    sys.exit(int(failed))


@cache
def submissions(kind: str) -> tuple[SubmissionFiles, ...]:
    """The bank's correct submissions: whole ones, or ``plain`` with one part in another style."""
    if kind == "correct":
        return tuple(bank_loader.correct())
    return tuple(entry.submission() for entry in bank_loader.entries("correct_parts"))


def graded(kind: str, name: str, seed: int) -> Grade:
    """Grade one submission, in a process of the pool."""
    submission = next(one for one in submissions(kind) if one.name == name)
    report = grade(submission, _runner(), load(None, all_checks()), seed=seed)
    checks = [check for check in report.checks if check.is_graded]
    lost = [
        f"{check.id} [{check.finding.case if check.finding else None}] {check.outcome}: "
        f"{check.finding.text['en'] if check.finding else report.error}"
        for check in checks
        if check.outcome is not Outcome.PASS
    ]
    return Grade(name, seed, len(checks), lost or ([report.error] if report.error else []))


def lines(grades: list[Grade]) -> Iterator[str]:
    """A line for each false fail."""
    for one in grades:
        for sentence in one.false_fails:
            yield f"{one.submission} seed {one.seed}: {sentence}"


@cache
def _runner() -> KeptRunner:
    return KeptRunner(LocalRunner())


if __name__ == "__main__":
    main()
