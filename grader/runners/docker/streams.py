"""Bytes between threads: what a reader thread takes off the engine's socket, as the streams that a worker has."""

from __future__ import annotations

import io
import struct
import threading
from collections.abc import Callable, Iterator

from grader.wire import frames

MAX_WAITING = frames.MAX_BODY + (1 << 20)
"""Bytes that may wait to be read: a whole answer, and then some."""

_ENGINE_HEADER = struct.Struct(">BxxxI")
STDOUT = 1


class Inbox(io.RawIOBase):
    """A stream that is fed by another thread. Ends, rather than grows, when nobody reads."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = bytearray()
        self._changed = threading.Condition()
        self._ended = False

    def readable(self) -> bool:
        """See io.IOBase."""
        return True

    def feed(self, data: bytes) -> None:
        """Add bytes; they are dropped once the stream has ended."""
        with self._changed:
            if not self._ended:
                self._waiting += data
                self._ended = len(self._waiting) > MAX_WAITING
                self._changed.notify()

    def end(self) -> None:
        """No more bytes will come."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def read(self, size: int = -1) -> bytes:
        """Return what is there, up to ``size`` bytes, waiting for the first; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            data = bytes(self._waiting[:size] if size >= 0 else self._waiting)
            del self._waiting[: len(data)]
            return data


class Outbox(io.RawIOBase):
    """A stream whose bytes go to ``send``, which blocks, and raises OSError when the peer is gone."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        super().__init__()
        self._send = send

    def writable(self) -> bool:
        """See io.IOBase."""
        return True

    def write(self, data: object, /) -> int:
        """Send all of ``data``."""
        whole = bytes(data)  # type: ignore[call-overload]  # any buffer
        self._send(whole)
        return len(whole)


class EngineDecoder:
    """Takes the engine's stream apart: before each piece 8 bytes say which stream of the container it is from."""

    def __init__(self) -> None:
        self._header = bytearray()
        self._stream = 0
        self._left = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield (stream, bytes): 1 for standard output, 2 for standard error."""
        view = memoryview(data)
        while view:
            if not self._left:
                missing = _ENGINE_HEADER.size - len(self._header)
                self._header += view[:missing]
                view = view[missing:]
                if len(self._header) == _ENGINE_HEADER.size:
                    self._stream, self._left = _ENGINE_HEADER.unpack(self._header)
                    self._header.clear()
                continue
            piece, view = view[: self._left], view[self._left :]
            self._left -= len(piece)
            yield self._stream, bytes(piece)
