"""What a container costs: a cold ``grader check --runner docker`` of a correct submission against the local runner.

Whole processes in turn, the container's start and end included, so that only their ratio is quoted.

    python benchmarks/docker_ratio.py [--rounds N]
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


def seconds(runner: str) -> float:
    """Wall time of one whole check, which must succeed."""
    began = time.perf_counter()
    subprocess.run([*CHECK, "--runner", runner], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for runner in ("docker", "local"):  # warm the file cache
        seconds(runner)
    pairs = [(seconds("docker"), seconds("local")) for _ in range(rounds)]
    ratios = sorted(docker / local for docker, local in pairs)
    print(f"--runner docker        median {statistics.median(docker for docker, _ in pairs):.2f} s")
    print(f"--runner local         median {statistics.median(local for _, local in pairs):.2f} s")
    print(f"ratio, pair by pair    median {statistics.median(ratios):.2f}  min {ratios[0]:.2f}  max {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
