"""How soon ``grader check --watch`` answers after a file is saved, as a share of a cold ``grader check``.

Run as ``python benchmarks/watch.py [rounds] [submission]``; both take turns on this machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BANK = Path(__file__).parents[1] / "tests" / "bank"
ENVIRONMENT = {**os.environ, "PYTHONIOENCODING": "utf-8"}


def cold(folder: Path) -> float:
    """Seconds of one ``grader check``."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "grader", "check", folder], env=ENVIRONMENT, capture_output=True, check=True)
    return time.perf_counter() - began


def until(stream, words: str) -> float:
    """Read up to the line with ``words``; returns when that was."""
    for line in stream:
        if words in line:
            return time.perf_counter()
    raise SystemExit("the watch has ended")


def main(rounds: int, submission: Path) -> None:
    """Save, wait, compare."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(shutil.copytree(submission, Path(temporary) / "submission"))
        module = folder / "assignment1" / "norm.py"
        text = module.read_text("utf-8")
        line = [sys.executable, "-m", "grader", "check", str(folder), "--watch", "--lang", "en"]
        watch = subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        until(watch.stdout, "Watching")
        times: dict[str, list[float]] = {"cold": [], "first": [], "all": []}
        for number in range(rounds):
            times["cold"].append(cold(folder))
            saved = time.perf_counter()
            module.write_text(f"{text}\n# {number}\n", "utf-8")
            times["first"].append(until(watch.stdout, "Score") - saved)
            times["all"].append(until(watch.stdout, "Watching") - saved)
        watch.send_signal(signal.SIGINT)
        watch.wait()
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, what in (("first", "what changed and what failed last"), ("all", "all checks besides")):
        print(f"{what}: {middle[name]:.2f} s after the save, {middle[name] / middle['cold']:.2f} of a cold check")
    print(f"cold check: {middle['cold']:.2f} s, {rounds} rounds, one of them at a time")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 7, Path(given[1]) if given[1:] else BANK / "correct" / "plain")
