"""Out of memory, as the engine tells it: ``oom`` events arrive at once, ``State.OOMKilled`` when all is over."""

from __future__ import annotations

import contextlib
import threading

from grader.runners.docker.engine import Client


class MemoryWatch:
    """Counts the processes that the kernel killed for memory in the container with one label, by the engine's word."""

    def __init__(self, client: Client, *, label: str) -> None:
        self._changed = threading.Condition()
        self.kills = 0
        self._events = client.api.events(filters={"label": label, "event": "oom"}, decode=True)
        threading.Thread(target=self._count, name="grader-memory", daemon=True).start()

    def wait_for_more_than(self, kills: int, *, seconds: float) -> bool:
        """Whether a process was killed since there were ``kills``; an event may come a moment after the death."""
        with self._changed:
            return self._changed.wait_for(lambda: self.kills > kills, seconds)

    def close(self) -> None:
        """End the thread."""
        with contextlib.suppress(Exception):  # the SDK's ways of failing here are many; all mean that it is closed
            self._events.close()

    def _count(self) -> None:
        with contextlib.suppress(Exception):  # closed, or the engine went away: postmortem asks it
            for _ in self._events:
                with self._changed:
                    self.kills += 1
                    self._changed.notify_all()
