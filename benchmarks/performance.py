"""Every figure of speed and memory in one run: the scripts beside this one, one after another on the same machine.

    python benchmarks/performance.py [--count 300] [--many 0]

What needs a container engine or Chromium is left out with a line that says so, where there is none.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

import browser  # noqa: E402 - after the path

from grader.errors import GraderError, UsageError  # noqa: E402 - as above
from grader.runners.docker import engine, image  # noqa: E402 - as above


def scripts(count: int, many: int) -> list[list[str]]:
    """The commands whose figures are about speed or memory."""
    batch = ["batch.py", "--count", str(count), "--many", str(many)]
    wanted = [["cold_check.py"], ["watch.py"], batch]
    lacking = why_no_containers()
    if lacking:
        print(f"left out, docker_ratio.py and batch.py --docker: {lacking}")
    else:
        wanted += [["docker_ratio.py"]]
        batch.append("--docker")
    if browser.program() is None:
        print("left out, class_page.py: no Chromium here")
    else:
        wanted += [["class_page.py"]]
    return wanted


def why_no_containers() -> str:
    """Why the docker runner cannot be used here; empty: it can."""
    try:
        image.find(engine.connect())
    except (GraderError, UsageError) as error:
        return str(error)
    return ""


def main() -> int:
    """Run them; 1 when one of them failed, after all the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="submissions of a class")
    parser.add_argument("--many", type=int, default=0, help="a larger class, for flatness")
    given, failed = parser.parse_args(), 0
    for script, *arguments in scripts(given.count, given.many):
        print(f"\n## {script} {' '.join(arguments)}", flush=True)
        failed |= subprocess.run([sys.executable, str(HERE / script), *arguments], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
