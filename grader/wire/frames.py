"""One frame = a fixed header and a body; the same on every kind of stream."""

from __future__ import annotations

import struct
from typing import Protocol

from grader.wire.codec import ProtocolError

READY, REQUEST, ANSWER = 1, 2, 3
MAX_BODY = 64 << 20
_MAGIC = b"AG1\n"
_HEADER = struct.Struct("<4sBxxxQI")  # magic, kind, request id, body length


class Readable(Protocol):
    """What frames are read from."""

    def read(self, size: int, /) -> bytes | None:
        """Return up to ``size`` bytes; empty at the end of the stream."""
        ...


class StreamEnded(Exception):
    """The peer closed the stream between or inside frames."""


def pack(kind: int, request: int, body: bytes) -> bytes:
    """Return the bytes of one frame.

    Args:
        kind: READY, REQUEST or ANSWER.
        request: 64-bit number that pairs an answer with its request. Not a secret: student code can read it.
    """
    if len(body) > MAX_BODY:
        raise ProtocolError(f"body of {len(body)} bytes, at most {MAX_BODY} allowed")
    return _HEADER.pack(_MAGIC, kind, request, len(body)) + body


def read(stream: Readable) -> tuple[int, int, bytes]:
    """Read one frame: (kind, request id, body). Raises StreamEnded or ProtocolError."""
    magic, kind, request, size = _HEADER.unpack(_exactly(stream, _HEADER.size))
    if magic != _MAGIC:
        raise ProtocolError("not a frame")
    if size > MAX_BODY:
        raise ProtocolError(f"body of {size} bytes, at most {MAX_BODY} allowed")
    return kind, request, _exactly(stream, size)


def _exactly(stream: Readable, count: int) -> bytes:
    data = stream.read(count) or b""
    if len(data) == count:  # the common case: one read, no copy
        return data
    parts = bytearray(data)
    while data and len(parts) < count:
        data = stream.read(count - len(parts)) or b""
        parts += data
    if len(parts) < count:
        raise StreamEnded(f"stream ended after {len(parts)} of {count} bytes")
    return bytes(parts)
