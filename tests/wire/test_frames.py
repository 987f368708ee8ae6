"""Frames survive any way of being read in pieces; everything else ends as StreamEnded or ProtocolError."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.wire import frames
from grader.wire.codec import ProtocolError

HEADER_BYTES = 20

kinds, numbers, bodies = st.integers(0, 255), st.integers(0, 2**64 - 1), st.binary(max_size=300)


class Trickle:
    """A stream that gives at most so many bytes a read, as a pipe may, and counts what it was asked for.

    Args:
        sizes: how many bytes the next reads give; after that, all.
    """

    def __init__(self, data: bytes, sizes: list[int] | None = None) -> None:
        self._data, self._sizes = io.BytesIO(data), list(sizes or [])
        self.most_asked = 0

    def read(self, size: int, /) -> bytes:
        self.most_asked = max(self.most_asked, size)
        return self._data.read(min(size, self._sizes.pop(0)) if self._sizes else size)


@given(kinds, numbers, bodies, st.lists(st.integers(1, 7), max_size=60))
def test_a_frame_comes_back_however_it_is_cut(kind, number, body, sizes):
    stream = Trickle(frames.pack(kind, number, body), sizes)

    assert frames.read(stream) == (kind, number, body)


@given(st.lists(st.tuples(kinds, numbers, bodies), min_size=1, max_size=4))
def test_frames_are_read_one_at_a_time(sent):
    stream = io.BytesIO(b"".join(frames.pack(*frame) for frame in sent))

    received = [frames.read(stream) for _ in sent]

    assert received == sent
    with pytest.raises(frames.StreamEnded):
        frames.read(stream)


@given(kinds, numbers, bodies, st.data())
def test_a_truncated_frame_is_the_end_of_the_stream(kind, number, body, data):
    sent = frames.pack(kind, number, body)
    cut = data.draw(st.integers(0, len(sent) - 1))

    with pytest.raises(frames.StreamEnded):
        frames.read(io.BytesIO(sent[:cut]))


@settings(max_examples=300)
@given(st.binary(max_size=100))
def test_random_bytes_are_no_frame(data):
    with pytest.raises((ProtocolError, frames.StreamEnded)):
        frames.read(io.BytesIO(data))


@given(st.binary(min_size=HEADER_BYTES, max_size=100))
def test_bytes_of_a_frame_s_length_without_its_magic_are_refused(data):
    with pytest.raises(ProtocolError, match="not a frame"):
        frames.read(io.BytesIO(b"\0" + data))


@settings(max_examples=300)
@given(kinds, numbers, bodies, st.data())
def test_flipped_bits_give_a_frame_or_a_refusal(kind, number, body, data):
    damaged = bytearray(frames.pack(kind, number, body))
    bit = data.draw(st.integers(0, 8 * len(damaged) - 1))
    damaged[bit // 8] ^= 1 << bit % 8

    try:
        received = frames.read(io.BytesIO(damaged))
    except (ProtocolError, frames.StreamEnded):
        received = None

    in_magic, in_length = bit < 32, bit >= 8 * (HEADER_BYTES - 4) and bit < 8 * HEADER_BYTES
    assert (received is None) or not in_magic
    assert (received is None) or not in_length or received[2] == body[: len(received[2])]


@pytest.mark.parametrize("size", [frames.MAX_BODY + 1, 2**32 - 1])
def test_a_huge_body_is_refused_before_it_is_read(size):
    header = frames.pack(frames.ANSWER, 1, b"")[:-4] + struct.pack("<I", size)
    stream = Trickle(header + b"\0" * 100)

    with pytest.raises(ProtocolError, match="at most"):
        frames.read(stream)

    assert stream.most_asked == HEADER_BYTES


def test_a_body_that_the_peer_would_refuse_is_not_sent(monkeypatch):
    monkeypatch.setattr(frames, "MAX_BODY", 10)

    with pytest.raises(ProtocolError, match="11 bytes, at most 10"):
        frames.pack(frames.REQUEST, 1, b"a" * 11)
