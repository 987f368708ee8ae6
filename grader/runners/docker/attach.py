"""The engine's raw stream to a container."""

from __future__ import annotations

import contextlib
import socket
from typing import Any


class Attachment:
    """The socket behind ``attach_socket``; made before the container starts, or its first bytes may be lost.

    Attributes:
        socket: what to read from and to write to; its reads time out after ``tick`` seconds, again and again.
    """

    def __init__(self, container: Any, *, tick: float) -> None:
        self._holder = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        self.socket: socket.socket = getattr(self._holder, "_sock", self._holder)
        self.socket.settimeout(tick)

    def shut(self) -> None:
        """End both directions: a thread that reads or writes returns."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it, once no thread reads: its descriptor could become another file's."""
        for holder in (getattr(self._holder, "_response", None), self._holder, self.socket):
            if holder is not None:
                holder.close()
