"""Classroom 50's autograder: put it at ``CLASSROOM/autograders/ASSIGNMENT/autograder.py``.

Its runner starts this in the student's checkout. Exit code 0: graded, and ``result.json`` says how; any other is an
error of ours, which the runner reports as one. ``GRADER`` below is what pip installs.
"""

import os
import subprocess
import sys
import tempfile

GRADER = os.environ.get("GRADER", "assignment1-grader[notebook]")
TORCH = ("torch", "--index-url", "https://download.pytorch.org/whl/cpu")


def main() -> int:
    """Install, grade, export."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, *TORCH], check=True)
    subprocess.run([*pip, GRADER], check=True)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        grader = [sys.executable, "-m", "grader"]
        checked = subprocess.run([*grader, "check", ".", "--json", report], check=False)
        if checked.returncode != 0:
            return checked.returncode
        # the page can be attached to the release: name it under release_assets
        return subprocess.run([*grader, "export", report, "--to", "classroom50"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
