"""One byte stream each way in place of a worker's three pipes: what goes between a verifier and a container's relay.

A message is a kind and a length (``u8 | u32``, little endian), then that many bytes, ``MAX_PAYLOAD`` at most; longer
data goes as several messages. At most one worker runs at a time, so messages name none, and what arrives after ENDED
belongs to the next one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from grader.wire.codec import ProtocolError

WORKER_UID = 10001
"""The user that workers run as in an image: one of its own, for ``nobody`` may own other processes."""

START, REQUEST, KILL = 1, 2, 3
"""To the relay: fork a worker; bytes for its standard input; end it."""

UP, ANSWER, TEXT, CLOSED, ENDED, REFUSED = 17, 18, 19, 20, 21, 22
"""From the relay: torch is imported; bytes of the worker's answers; of what it prints; it closed the stream of answers;
it ended, with its exit code (i64, negative for a signal); it could not be forked, with the reason."""

MAX_PAYLOAD = 1 << 16
_HEADER = struct.Struct("<BI")
_EXIT = struct.Struct("<q")


def pack(kind: int, payload: bytes = b"") -> bytes:
    """Return the bytes of ``payload`` as messages of one kind: at least one, more where it is long."""
    parts = [payload[start : start + MAX_PAYLOAD] for start in range(0, len(payload), MAX_PAYLOAD)] or [b""]
    return b"".join(_HEADER.pack(kind, len(part)) + part for part in parts)


def pack_exit(code: int) -> bytes:
    """Return the message that a worker ended."""
    return pack(ENDED, _EXIT.pack(code))


def exit_code(payload: bytes) -> int:
    """Read the payload of ENDED. Raises ProtocolError."""
    if len(payload) != _EXIT.size:
        raise ProtocolError(f"an exit code of {len(payload)} bytes")
    (code,) = _EXIT.unpack(payload)
    return int(code)


class Decoder:
    """Cuts a stream into messages, however the bytes arrive."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the messages that ``data`` completes: (kind, payload). Raises ProtocolError."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            kind, size = _HEADER.unpack_from(self._buffer)
            if size > MAX_PAYLOAD:
                raise ProtocolError(f"a message of {size} bytes, at most {MAX_PAYLOAD} allowed")
            end = _HEADER.size + size
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield kind, payload
