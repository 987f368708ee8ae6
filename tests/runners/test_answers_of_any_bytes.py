"""Whatever bytes come back from a worker, the grader gets a map of values or a lost worker, never another error."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import WorkerLost
from grader.runners.base import Limits
from grader.runners.launch import Launched
from grader.runners.pipe import PipeWorker
from grader.wire import codec, frames
from grader.wire.codec import RawTensor

NUMBER = 0x1122334455667788
ANSWER = {"value": [RawTensor("float32", (2, 3), bytes(24)), 7, "text", {"a": None}], "facts": {"mutated": []}}
GOOD = frames.pack(frames.ANSWER, NUMBER, codec.encode(ANSWER))


def ask(answer: bytes) -> dict:
    """Ask a worker that answers with these bytes and ends."""
    nowhere = io.BytesIO()
    worker = PipeWorker(
        Launched(nowhere, io.BytesIO(answer), io.BytesIO(), kill=lambda: None, reap=lambda: "exit code 0"), Limits()
    )
    try:
        return worker.ask({"op": "state"}, seconds=5)
    finally:
        worker.close()


@pytest.fixture(autouse=True, scope="module")
def _known_number():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.runners.pipe.secrets.randbits", lambda _: NUMBER)
        yield


def refused(answer: bytes) -> bool:
    """Whether the worker counts as lost; anything but a map or a loss fails the test."""
    try:
        return not isinstance(ask(answer), dict)
    except WorkerLost:
        return True


def test_the_answer_that_is_damaged_below_is_taken_as_it_is():
    assert set(ask(GOOD)) == {"value", "facts"}


@settings(max_examples=150)
@given(st.binary(max_size=200))
def test_random_bytes_lose_the_worker(data):
    assert refused(data)


@settings(max_examples=150)
@given(st.binary(max_size=120))
def test_a_frame_of_random_bytes_is_a_map_or_loses_the_worker(body):
    assert refused(frames.pack(frames.ANSWER, NUMBER, body)) or body[:1] == b"m"


@settings(max_examples=150)
@given(st.integers(0, len(GOOD) - 1))
def test_a_truncated_answer_loses_the_worker(cut):
    assert refused(GOOD[:cut])


@settings(max_examples=300)
@given(st.lists(st.integers(0, 8 * len(GOOD) - 1), min_size=1, max_size=4))
def test_an_answer_with_flipped_bits_is_a_map_or_loses_the_worker(bits):
    damaged = bytearray(GOOD)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8

    in_its_header = any(bit < 40 or 64 <= bit < 128 for bit in bits) and len(set(bits)) == len(bits)
    assert refused(bytes(damaged)) or not in_its_header


@pytest.mark.parametrize("kind", [frames.READY, frames.REQUEST, 0, 255])
def test_a_frame_of_another_kind_loses_the_worker(kind):
    assert refused(frames.pack(kind, NUMBER, codec.encode(ANSWER)))


@pytest.mark.parametrize("number", [0, NUMBER + 1, NUMBER ^ 1 << 63])
def test_an_answer_to_another_request_loses_the_worker(number):
    assert refused(frames.pack(frames.ANSWER, number, codec.encode(ANSWER)))
