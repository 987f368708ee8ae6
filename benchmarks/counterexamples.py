"""How many failed checks have a counter-example, how small it is, and how long the search for it takes.

Every wrong submission of the bank is graded once, and every check that fails is counted, carried forward or not.
Counted as numbers of an example: every element of every tensor that goes in, positions included, whole-number arguments
of functions, and weights that are neither an identity nor one value everywhere.

    python benchmarks/counterexamples.py [--jobs N] [--seed N] [NAME ...]

NAME limits it to submissions whose names begin so. Exit code 1 when a median of more than 16 numbers is reached.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from grader import settings
from grader.catalogue import all_checks
from grader.counterexample import attach
from grader.counterexample.search import Search
from grader.errors import GraderError
from grader.report.models import CheckResult
from grader.runners.kept import KeptRunner
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank, BankEntry
from grader.selftest.figures import Share
from grader.session import grade

ROOT = Path(__file__).parent.parent
ENOUGH = 16
SLOWEST = 30

_runner: KeptRunner | None = None


@dataclass
class Found:
    """What came of one submission.

    Attributes:
        numbers: of every example.
        without: failed checks that have none, with the message of their failure.
        wall: seconds of every search.
        processor: processor seconds of every search on the grader's side.
        tries: how often every search asked the submission.
    """

    name: str
    numbers: list[int] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    tries: list[int] = field(default_factory=list)


def examples_of(entry: BankEntry, seed: int) -> Found:
    """Grade one submission."""
    global _runner  # noqa: PLW0603 - one warm runner a process, for the process's life
    loaded = settings.load(None, all_checks())
    _runner = _runner or KeptRunner(LocalRunner(loaded.limits.for_runner()))
    found, search, run = Found(entry.name), attach._search, Search.run

    def timed(*given: Any, **named: Any) -> Any:
        found.tries.append(0)
        wall, processor = time.perf_counter(), time.process_time()
        try:
            return search(*given, **named)
        finally:
            found.wall.append(time.perf_counter() - wall)
            found.processor.append(time.process_time() - processor)

    def counted(search: Search) -> Any:
        try:
            return run(search)
        finally:
            found.tries[-1] = search.tries

    with mock.patch.object(attach, "_search", timed), mock.patch.object(Search, "run", counted):
        report = grade(entry.submission, _runner, loaded, seed=seed)
    if report.examples_error is not None or not report.graded:
        raise GraderError(f"{entry.name}: {report.examples_error or report.error}")
    for check in report.checks:
        _count(check, found)
    return found


def _count(check: CheckResult, found: Found) -> None:
    if check.finding is None or check.advice:
        return
    if check.finding.example is None:
        found.without.append(f"{found.name} {check.id}: {check.finding.message}")
    else:
        found.numbers.append(check.finding.example.numbers)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    entries = [one for one in Bank(ROOT / "tests" / "bank").wrong() if one.name.startswith(tuple(given.names) or "")]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, mp_context=context) as pool:
        found = list(pool.map(examples_of, entries, [given.seed] * len(entries)))
    numbers = [number for one in found for number in one.numbers]
    without = [line for one in found for line in one.without]
    share = Share(count=len(numbers), total=len(numbers) + len(without))
    low, high = share.interval
    median = statistics.median(numbers)
    few = sum(number <= ENOUGH for number in numbers) / len(numbers)
    print(f"failed checks with an example   {share.count}/{share.total} = {share.share:.4f}  [{low:.4f}, {high:.4f}]")
    print(f"numbers in an example           median {median:g}, largest {max(numbers)}; at most {ENOUGH}: {few:.4f}")
    wall, processor = ([one for each in found for one in getattr(each, name)] for name in ("wall", "processor"))
    for word, seconds in (("wall", wall), ("processor", processor)):
        print(f"seconds a check ({word:<9})     mean {statistics.mean(seconds):.2f}, worst {max(seconds):.2f}")
    tries = [one for each in found for one in each.tries]
    print(f"tries a check                   mean {statistics.mean(tries):.1f}, most {max(tries)}")
    slow = [(seconds, count, each.name) for each in found for seconds, count in zip(each.wall, each.tries, strict=True)]
    for seconds, count, name in sorted(slow, reverse=True)[:SLOWEST]:
        print(f"slow: {seconds:.1f} s, {count} tries: {name}")
    for line in without:
        print(f"none: {line}")
    return int(median > ENOUGH)


if __name__ == "__main__":
    sys.exit(main())
