"""Wait until a submission has changed: by reading it again and again, as it is read for grading.

What counts is what would be graded, so a touched file or a saved note is no change, and a file that an editor replaces,
a network drive or a folder shared into a container is seen like any other. One look takes a third of a millisecond
(measured on ten files), which is why there is no library of system notifications here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from grader.errors import UsageError
from grader.intake.read import read
from grader.intake.submission import SubmissionFiles

PAUSE = 0.25
SETTLE = 0.05
"""Seconds between two looks that must agree: an editor empties a file before it writes it."""

_SHARE = 20
"""A look may take one part in so many of the time: a large archive is looked at less often."""

Seen = SubmissionFiles | str
"""A submission, or the sentence that says why there is none just now."""


class Changes:
    """What lies at ``path`` over time.

    Args:
        sleep: waits so many seconds.
    """

    def __init__(self, path: Path, first: SubmissionFiles, sleep: Callable[[float], None] = time.sleep) -> None:
        self._path, self._sleep = path, sleep
        self._last = _key(first)

    def wait(self) -> Seen:
        """Return what is there once it differs from what was returned last, and has stopped changing."""
        while True:
            began = time.perf_counter()
            seen = self._look()
            if _key(seen) == self._last:
                self._sleep(max(PAUSE, _SHARE * (time.perf_counter() - began)))
                continue
            self._sleep(SETTLE)
            if _key(self._look()) == _key(seen):
                self._last = _key(seen)
                return seen

    def pending(self) -> bool:
        """Whether it has changed again already."""
        return _key(self._look()) != self._last

    def _look(self) -> Seen:
        try:
            return read(self._path)
        except UsageError as error:
            return str(error)


def _key(seen: Seen) -> str:
    return f"cannot be read: {seen}" if isinstance(seen, str) else seen.digest
