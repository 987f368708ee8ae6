"""How long a student waits: a cold ``grader check`` of a correct submission against ``python -c "import torch"``.

Both are whole processes, run in turn in one go on the same machine, so that only their ratio is quoted.

    python benchmarks/cold_check.py [--rounds N]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHECK = [sys.executable, "-m", "grader", "check", str(ROOT / "tests/bank/correct/plain"), "--seed", "1"]
IMPORT = [sys.executable, "-c", "import torch"]


def seconds(command: list[str]) -> float:
    """Wall time of one whole process, which must succeed."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for command in (IMPORT, CHECK):  # warm the file cache
        seconds(command)
    pairs = [(seconds(CHECK), seconds(IMPORT)) for _ in range(rounds)]
    ratios = sorted(check / base for check, base in pairs)
    print(f"grader check, cold     median {statistics.median(check for check, _ in pairs):.2f} s")
    print(f"python -c import torch median {statistics.median(base for _, base in pairs):.2f} s")
    print(f"ratio, pair by pair    median {statistics.median(ratios):.2f}  min {ratios[0]:.2f}  max {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
