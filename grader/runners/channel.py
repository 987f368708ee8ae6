"""The way to a worker and back, which our side can cut whoever holds the other end."""

from __future__ import annotations

import contextlib
import socket

_AT_ONCE = 1 << 20
"""Bytes of one read: memory for them is taken before they come."""


class Channel:
    """Two connected sockets: one for us, one that becomes the worker's standard input and output.

    A pipe would not do: whatever a submission left running may hold its far end, and a blocked read then never returns.
    """

    def __init__(self) -> None:
        self._ours, self.theirs = socket.socketpair()

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; empty when the worker has ended or the channel was cut."""
        try:
            return self._ours.recv(min(size, _AT_ONCE))
        except ConnectionResetError:  # it ended without reading all that we sent
            return b""

    def write(self, data: memoryview, /) -> int:
        """Send a part of ``data``; returns how many bytes. Raises OSError."""
        return self._ours.send(data)

    def cut(self) -> None:
        """End both directions: a read that waits returns now. From any thread, and more than once."""
        with contextlib.suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close our end."""
        self._ours.close()
