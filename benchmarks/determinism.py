"""Does the verdict depend on threads or vector instructions? Grades the bank under every setting and compares.

    python benchmarks/determinism.py [--entries N] [--seeds N]

Prints one line a setting: how many submissions were graded, and how many verdicts differ from the first setting's.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

from grader import settings
from grader.catalogue import all_checks
from grader.intake.submission import SubmissionFiles
from grader.runners.kept import KeptRunner
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank
from grader.session import grade

ROOT = Path(__file__).parent.parent

SETTINGS: dict[str, dict[str, str]] = {
    "as it is": {},
    "ATen without vector instructions": {"ATEN_CPU_CAPABILITY": "default"},
    "ATen with AVX2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "ATen with AVX512": {"ATEN_CPU_CAPABILITY": "avx512"},
    "oneDNN up to AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
    "oneDNN without AMX": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"},
    "MKL compatible": {"MKL_CBWR": "COMPATIBLE"},
}
THREADS = (1, 2, 4)


def with_threads(submission: SubmissionFiles, threads: int) -> SubmissionFiles:
    """The submission, asking torch for this many threads when it is imported."""
    line = f"import torch\n\ntorch.set_num_threads({threads})\n"
    start = submission.files.get("assignment1/__init__.py", "")
    return SubmissionFiles(submission.name, {**submission.files, "assignment1/__init__.py": start + "\n" + line})


def verdict(submission: SubmissionFiles, runner: KeptRunner, seed: int) -> tuple[tuple[str, str], ...]:
    """Outcome of every check."""
    report = grade(submission, runner, settings.load(None, all_checks()), seed=seed)
    return tuple((check.id, str(check.outcome)) for check in report.checks if not check.advice)


def main() -> None:
    """Grade and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10**6, help="grade only so many of the bank, evenly chosen")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 1..N; other inputs, and the same verdict")
    given = parser.parse_args()
    bank = Bank(ROOT / "tests/bank")
    entries = [*bank.correct(), *bank.wrong()]
    submissions = [entry.submission for entry in entries[:: max(1, len(entries) // given.entries)]]
    expected: dict[str, object] = {}
    flips = 0
    runs = [(name, environment, 1) for name, environment in SETTINGS.items()]
    runs += [(f"{threads} threads", {}, threads) for threads in THREADS]
    for name, environment, threads in runs:
        runner = KeptRunner(LocalRunner(environment=environment))
        different = []
        for submission, seed in itertools.product(submissions, range(1, given.seeds + 1)):
            found = verdict(with_threads(submission, threads), runner, seed)
            if expected.setdefault(submission.name, found) != found:
                different.append(f"{submission.name} (seed {seed})")
        flips += len(different)
        graded = len(submissions) * given.seeds
        print(f"{name:36} {graded:4} graded, {len(different)} verdicts differ {' '.join(different)}", flush=True)
    print(f"{flips} verdict flips in {len(runs) * len(submissions) * given.seeds} runs")
    sys.exit(int(flips > 0))


if __name__ == "__main__":
    main()
