"""How long a student waits: a cold ``grader check`` of a correct submission against ``python -c "import torch"``.

Beside it stands a plain pytest suite of as many tests, without isolation (``plain/test_plain.py``).
All are whole processes, run in turn in one go on the same machine, so that only ratios are quoted.

    python benchmarks/cold_check.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORRECT = ROOT / "tests/bank/correct/plain"
CHECK = [sys.executable, "-m", "grader", "check", str(CORRECT), "--seed", "1"]
IMPORT = [sys.executable, "-c", "import torch"]
PLAIN = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "benchmarks/plain/test_plain.py")]


def seconds(command: list[str]) -> float:
    """Wall time of one whole process, which must succeed."""
    environment = {**os.environ, "PLAIN_SUBMISSION": str(CORRECT), "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment)
    return time.perf_counter() - began


def main() -> None:
    """Print medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    commands = {"grader check, cold": CHECK, "python -c import torch": IMPORT, "plain pytest suite": PLAIN}
    for command in commands.values():  # warm the file cache
        seconds(command)
    turns = [[seconds(command) for command in commands.values()] for _ in range(rounds)]
    for name, found in zip(commands, zip(*turns, strict=True), strict=True):
        print(f"{name:<25} median {statistics.median(found):.2f} s")
    for place, name in ((1, "over import torch"), (2, "over a plain suite")):
        ratios = sorted(turn[0] / turn[place] for turn in turns)
        print(f"{name:<25} median {statistics.median(ratios):.2f}  min {ratios[0]:.2f}  max {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
