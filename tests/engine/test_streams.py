"""The engine's stream taken apart, and bytes handed from one thread to another. Needs no engine."""

from __future__ import annotations

import struct
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.runners.docker import streams
from grader.runners.docker.streams import EngineDecoder, Inbox, Outbox


def framed(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(data)) + data


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=50)), max_size=6), st.integers(1, 20))
def test_the_engines_stream_comes_apart_however_it_is_cut(parts, size):
    whole = b"".join(framed(stream, data) for stream, data in parts)
    decoder, received = EngineDecoder(), {1: b"", 2: b""}

    for start in range(0, len(whole), size):
        for stream, piece in decoder.feed(whole[start : start + size]):
            received[stream] += piece

    assert received == {wanted: b"".join(data for stream, data in parts if stream == wanted) for wanted in (1, 2)}


def test_reading_waits_for_the_first_byte_and_no_longer():
    inbox = Inbox()
    threading.Timer(0.05, inbox.feed, (b"abc",)).start()

    assert inbox.read(10) == b"abc"


def test_reading_takes_no_more_than_it_asks_for():
    inbox = Inbox()
    inbox.feed(b"abcdef")

    assert (inbox.read(2), inbox.read(100)) == (b"ab", b"cdef")


def test_the_end_wakes_a_reader_after_what_was_there():
    inbox = Inbox()
    inbox.feed(b"last words")
    threading.Timer(0.05, inbox.end).start()

    assert (inbox.read(100), inbox.read(100)) == (b"last words", b"")


def test_bytes_that_nobody_reads_end_the_stream_instead_of_filling_memory(monkeypatch):
    monkeypatch.setattr(streams, "MAX_WAITING", 100)
    inbox = Inbox()

    for _ in range(50):
        inbox.feed(b"0123456789")

    kept = inbox.read(10_000)
    assert 100 < len(kept) <= 110
    assert inbox.read(10_000) == b""


def test_a_peer_that_is_gone_shows_when_it_is_written_to():
    def refuse(data: bytes) -> None:
        raise OSError(f"{len(data)} bytes for nobody")

    with pytest.raises(OSError, match="3 bytes for nobody"):
        Outbox(refuse).write(memoryview(b"abc"))
