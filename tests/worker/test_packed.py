"""An answer that a frame cannot carry becomes one that says so, and keeps what could be said."""

from __future__ import annotations

from typing import Any

import pytest

from grader.wire import codec, frames
from grader.wire.codec import MAX_DEPTH, RawTensor
from grader.worker.__main__ import _packed

HALF = {"value": RawTensor("uint8", (600,), bytes(600))}
LARGE = {"value": RawTensor("uint8", (2000,), bytes(2000))}
DEEP: dict[str, Any] = {"value": "x"}
for _ in range(MAX_DEPTH + 2):
    DEEP = {"value": [DEEP]}


@pytest.fixture(autouse=True)
def small_frames(monkeypatch):
    monkeypatch.setattr(frames, "MAX_BODY", 1000)


def read(answer: dict[str, Any]) -> dict[str, Any]:
    frame = _packed(7, answer)
    body = frame[-int.from_bytes(frame[16:20], "little") :]
    found = codec.decode(body)
    assert isinstance(found, dict)
    return found


def outcomes(answers: list[dict[str, Any]]) -> list[str]:
    return ["error" if "error" in one else "value" for one in answers]


def test_what_fits_goes_as_it_is():
    assert read({**HALF, "first": [{"value": 1}]}) == {**HALF, "first": [{"value": 1}]}


def test_a_result_that_cannot_be_written_down_is_the_error_of_its_own_request():
    found = read({**DEEP, "first": [{"value": 1}]})

    assert (outcomes([found]), found["first"]) == (["error"], [{"value": 1}])
    assert found["error"]["kind"] == "too-much"


def test_the_answers_end_with_the_one_that_cannot_be_written_down():
    found = read({"value": 3, "first": [{"value": 1}, DEEP, {"value": 2}]})

    assert outcomes(found["first"]) == ["value", "error"]
    assert "value" not in found


def test_one_that_is_too_large_is_an_error():
    assert read(LARGE)["error"]["kind"] == "too-much"


def test_when_only_all_together_are_too_large_one_error_stands_for_them():
    found = read({**HALF, "first": [HALF, HALF]})

    assert set(found) == {"error"}
