"""The process that grades for ``grader batch``: ``python -m grader.cli.slot``."""

from __future__ import annotations

from grader.batch.slot import serve
from grader.cli.check import runner_of

if __name__ == "__main__":
    serve(runner_of)
