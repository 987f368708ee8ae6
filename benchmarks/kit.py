"""The answer key beside the live oracle, over the bank: same verdicts, names and points; time and size.

    python benchmarks/kit.py --key FOLDER [--shard I/N]

FOLDER is ``grader/key`` of a kit of the whole assignment (``grader kit build -o KIT``). Prints every submission that
the two judge differently, then how many those are, the ratio of the times, and the size of the key.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from grader import settings
from grader.catalogue import all_checks
from grader.key.reader import read
from grader.key.source import KeyedSource
from grader.report.models import Report
from grader.runners.kept import KeptRunner
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank
from grader.session import grade


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key", type=Path, required=True, help="grader/key of a kit")
    parser.add_argument("--bank", type=Path, default=Path("tests/bank"))
    parser.add_argument("--shard", default="0/1", help="every N-th entry, from the I-th on")
    options = parser.parse_args()
    first, every = (int(part) for part in options.shard.split("/"))
    bank = Bank(options.bank)
    entries = [*bank.correct(), *bank.advice(), *bank.wrong(), *bank.pairs()][first::every]
    loaded = settings.load(None, all_checks())
    key = read(options.key)
    runner = KeptRunner(LocalRunner(loaded.limits.for_runner()))
    runner.prepare()
    seconds, different = {"live": 0.0, "key": 0.0}, 0
    for number, entry in enumerate(entries):
        order = ("live", "key") if number % 2 else ("key", "live")  # neither always runs warmer
        reports: dict[str, Report] = {}
        for name in order:
            source = KeyedSource(key) if name == "key" else None
            began = time.perf_counter()
            reports[name] = grade(entry.submission, runner, loaded, seed=key.facts.seed, source=source, examples=False)
            seconds[name] += time.perf_counter() - began
        live, keyed = judged(reports["live"]), judged(reports["key"])
        if live != keyed:
            different += 1
            print(f"{entry.name}:")
            for what in live:
                if live[what] != keyed[what]:
                    print(f"    {what}: live {live[what]}, key {keyed[what]}", flush=True)
    runner.end()
    size = sum(file.stat().st_size for file in options.key.iterdir() if file.name.startswith("key."))
    print(f"judged differently: {different} of {len(entries)}")
    print(f"time with the key / live: {seconds['key'] / seconds['live']:.2f}")
    print(f"size of the key: {size / 1e6:.2f} MB")


def judged(report: Report) -> dict[str, object]:
    """What must be the same."""
    checks = {
        check.id: (str(check.outcome), check.points, check.finding.mistakes if check.finding else [])
        for check in report.checks
    }
    names = [mistake.id for mistake in report.mistakes]
    return {"error": report.error or report.naming_error, "score": report.score, "names": names, **checks}


if __name__ == "__main__":
    main()
