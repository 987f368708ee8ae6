"""Messages of a container's relay survive any way of being cut; everything else ends as ProtocolError."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.wire import relayed
from grader.wire.codec import ProtocolError


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=200)), max_size=8), st.integers(1, 40))
def test_messages_come_back_however_they_are_cut(messages, size):
    stream = b"".join(relayed.pack(kind, payload) for kind, payload in messages)
    decoder = relayed.Decoder()

    received = [message for piece in pieces(stream, size) for message in decoder.feed(piece)]

    assert received == messages


def test_what_is_longer_than_a_message_goes_as_several_of_one_kind():
    payload = bytes(range(256)) * 1000

    received = list(relayed.Decoder().feed(relayed.pack(relayed.ANSWER, payload)))

    assert {kind for kind, _ in received} == {relayed.ANSWER}
    assert b"".join(part for _, part in received) == payload
    assert max(len(part) for _, part in received) == relayed.MAX_PAYLOAD


@pytest.mark.parametrize("size", [relayed.MAX_PAYLOAD + 1, 2**32 - 1])
def test_a_length_beyond_the_limit_is_refused_before_anything_is_kept(size):
    with pytest.raises(ProtocolError, match=f"a message of {size} bytes"):
        list(relayed.Decoder().feed(struct.pack("<BI", relayed.ANSWER, size)))


@pytest.mark.parametrize("code", [0, 3, -9, -11])
def test_an_exit_code_comes_back(code):
    ((kind, payload),) = relayed.Decoder().feed(relayed.pack_exit(code))

    assert kind == relayed.ENDED
    assert relayed.exit_code(payload) == code


@pytest.mark.parametrize("payload", [b"", b"1234567", b"123456789"])
def test_an_exit_code_of_another_size_is_refused(payload):
    with pytest.raises(ProtocolError):
        relayed.exit_code(payload)
