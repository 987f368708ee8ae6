"""Decompress a stream piece by piece, never past a limit."""

from __future__ import annotations

import bz2
import lzma
import zlib
from typing import BinaryIO, Protocol

from grader.errors import SubmissionError
from grader.intake.rules import MAX_UNPACKED

_PIECE = 1 << 16
_MAX_STREAMS = 1000  # tools that compress in parallel write several streams into one file
_MAX_DICTIONARY = 80 << 20  # what `xz -9` asks for, and a little more
_DAMAGED = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """zlib's decompressor with the attributes that bz2's and lzma's have."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)  # expects gzip's header and checks its sum

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


def _decompressor(head: bytes) -> _Decompressor | None:
    if head.startswith(b"\x1f\x8b"):
        return _Gzip()
    if head.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_MAX_DICTIONARY)
    return None


class Unpacked:
    """What is inside a gzip, bzip2 or xz file, or the file itself when it is none of these; read once, forwards."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._input = file.read(_PIECE)
        self._inner = _decompressor(self._input)
        self._streams = 1
        self._ready = bytearray()
        self._left = MAX_UNPACKED
        self._has_ended = False

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer at the end.

        Raises:
            SubmissionError: more came out than MAX_UNPACKED.
            ValueError: the data is not well-formed, asks for too much memory, or ends too early.
        """
        while len(self._ready) < size and not self._has_ended:
            piece = self._next()
            self._left -= len(piece)
            if self._left < 0:
                raise SubmissionError(
                    f"the archive holds more than {MAX_UNPACKED >> 20} MiB; leave out data and environments"
                )
            self._ready += piece
        wanted = bytes(self._ready[:size])
        del self._ready[:size]
        return wanted

    def _next(self) -> bytes:
        if self._inner is None:
            piece, self._input = self._input, self._file.read(_PIECE)
            self._has_ended = not piece
            return piece
        if self._inner.eof:
            self._begin_next_stream(self._inner.unused_data + self._input)
            return b""
        if self._inner.needs_input and not self._input:
            raise ValueError("its compressed data ends too early")
        given, self._input = (self._input, b"") if self._inner.needs_input else (b"", self._input)
        try:
            piece = self._inner.decompress(given, _PIECE)
        except _DAMAGED:
            raise ValueError("its compressed data is damaged, or takes too much memory") from None
        if self._inner.needs_input and not self._inner.eof:
            self._input = self._input or self._file.read(_PIECE)
        return piece

    def _begin_next_stream(self, rest: bytes) -> None:
        while not rest.strip(b"\0"):  # nothing, or padding for a tape
            rest = self._file.read(_PIECE)
            if not rest:
                self._has_ended = True
                return
        self._inner, self._input = _decompressor(rest), rest
        self._streams += 1
        if self._inner is None or self._streams > _MAX_STREAMS:
            raise ValueError("something is behind its compressed data")
