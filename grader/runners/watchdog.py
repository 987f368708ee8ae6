"""A deadline for blocking calls: when it passes, the worker is killed and the blocked read or write returns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_IDLE = 3600.0


class Watchdog:
    """One thread that kills at a deadline; a timer a call would cost a thread a call."""

    def __init__(self, kill: Callable[[], None]) -> None:
        self._kill = kill
        self._changed = threading.Condition()
        self._deadline: float | None = None
        self._wakes = 0.0
        self._stopped = False
        self.expired = False
        threading.Thread(target=self._watch, name="grader-watchdog", daemon=True).start()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Kill if the body takes longer than ``seconds``; ``expired`` is then True for good."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._deadline = deadline
            if deadline < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            self._deadline = None

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                deadline, now = self._deadline, time.monotonic()
                if deadline is not None and now >= deadline:
                    self.expired = True
                    self._kill()
                    return
                # without a deadline it looks again later; limit() wakes it when that would be too late
                self._wakes = deadline if deadline is not None else now + _IDLE
                self._changed.wait(self._wakes - now)
