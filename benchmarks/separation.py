"""How far apart right and wrong are in the checks of precision, in units of their bounds.

For each check that asks for FP32 inside: the largest error that a correct submission of the bank makes, and the
smallest that a mistake of the bank makes which the check must catch. A check passes what stays within 1.

    python benchmarks/separation.py [--seed N]

Exit code 1 when a mistake is less than 10 times as far away as the worst correct submission.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from torch import Tensor

from grader import settings
from grader.catalogue import all_checks
from grader.numerics.answer import Answer
from grader.report.models import CheckResult
from grader.runners.kept import KeptRunner
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank, BankEntry
from grader.session import grade

ROOT = Path(__file__).parent.parent
ENOUGH = 10.0


class Ratios:
    """Largest error in units of the bound, by check, of one submission."""

    def __init__(self) -> None:
        self.by_check: dict[str, float] = {}
        self._largest = 0.0

    def add(self, ratio: float) -> None:
        """One comparison of the check that runs."""
        self._largest = max(self._largest, ratio)

    def finish(self, result: CheckResult) -> None:
        """The check has ended."""
        self.by_check[result.id], self._largest = self._largest, 0.0


@contextmanager
def measured(ratios: Ratios) -> Iterator[None]:
    """Look at every comparison of values."""
    accepts = Answer.accepts

    def looking(answer: Answer, actual: Tensor, *, any_dtype: bool = False) -> None:
        if actual.shape == answer.truth.shape and actual.is_floating_point():
            ratio = answer.ratio(actual)
            ratios.add(math.inf if math.isnan(ratio) else ratio)
        accepts(answer, actual, any_dtype=any_dtype)

    with mock.patch.object(Answer, "accepts", looking):
        yield


def of_submission(entry: BankEntry, checks: list[str], runner: KeptRunner, seed: int) -> dict[str, float]:
    """Ratios of one submission in these checks."""
    ratios = Ratios()
    with measured(ratios):
        loaded = settings.load(None, all_checks())
        grade(entry.submission, runner, loaded, seed=seed, selected=checks, on_result=ratios.finish)
    return ratios.by_check


def main() -> None:
    """Measure, and print a line for each check and mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    checks = [check for check in all_checks() if check.endswith("precision")]
    runner, bank = KeptRunner(LocalRunner()), Bank(ROOT / "tests/bank")
    right: dict[str, float] = dict.fromkeys(checks, 0.0)
    for entry in bank.correct():
        for check, ratio in of_submission(entry, checks, runner, seed).items():
            right[check] = max(right[check], ratio)
    rows = []
    for entry in bank.wrong():
        aimed_at = [check for check in checks if check in entry.killed_by]
        for check, ratio in of_submission(entry, aimed_at, runner, seed).items() if aimed_at else ():
            rows.append((check, entry.name, ratio, ratio / right[check] if right[check] else math.inf))
    print(f"{'check':<28} {'mistake':<32} {'worst right':>11} {'wrong':>9} {'times':>9}")
    for check, name, ratio, times in sorted(rows, key=lambda row: (row[0], row[3])):
        print(f"{check:<28} {name:<32} {right[check]:>11.3f} {ratio:>9.1f} {times:>9.0f}")
    sys.exit(any(times < ENOUGH for *_, times in rows))


if __name__ == "__main__":
    main()
