"""What prepares a call travels with it, and fails where it is used first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch

from grader.contract import ModuleSpec
from grader.errors import CheckFailure, Outcome
from grader.run_state import RunState
from grader.runners.base import Limits
from grader.runners.in_process import InProcessRunner, InProcessWorker
from grader.student import line
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.transcript import Transcript


class Norm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        if dim == 13:
            raise RuntimeError("an unlucky size")
        self.gamma = torch.nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gamma


class Cache:
    def __init__(self) -> None:
        self.length, self.most = 0, 1000

    def append(self, k: torch.Tensor, v: torch.Tensor) -> Any:
        self.length += k.shape[1]
        if self.length > self.most:
            raise IndexError("full")
        return (k + self.length, v) if self.length != 13 else k


class Watched:
    """A worker whose frames can be looked at, and its answers changed."""

    alive = True

    def __init__(self, worker: InProcessWorker, runner: WatchedRunner) -> None:
        self._worker, self._runner = worker, runner

    def ask(self, request: Mapping[str, Any], *, seconds: float) -> dict[str, Any]:
        if request["op"] != "import":
            self._runner.frames.append((request, seconds))
        return self._runner.change(self._worker.ask(request, seconds=seconds))

    def output(self) -> str:
        return ""

    def close(self) -> None: ...


class WatchedRunner(InProcessRunner):
    limits = Limits(call=10.0)

    def __init__(self, **objects: Any) -> None:
        known = {"RMSNorm": Norm, "KVCache": Cache, **objects}
        super().__init__(lambda target: known.get(target.partition(":")[2]))
        self.frames: list[tuple[Mapping[str, Any], float]] = []
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = lambda answer: answer

    def start(self, files: Mapping[str, str]) -> Any:
        return Watched(super().start(files), self)


@pytest.fixture
def runner() -> WatchedRunner:
    return WatchedRunner()


@pytest.fixture
def transcript() -> Transcript:
    return Transcript()


@pytest.fixture
def student(runner, transcript) -> Student:
    return Student(Calls(RunState(runner, {}), transcript))


def norm(dim: int = 3) -> ModuleSpec:
    return ModuleSpec("RMSNorm", {"dim": dim}, {"gamma": torch.full((dim,), 2.0)})


def asked(transcript: Transcript) -> list[str]:
    return ["build" if one.request.get("construct") else one.request["op"] for one in transcript.exchanges]


def test_constructing_loading_and_calling_are_one_frame(student, runner, transcript):
    actual = student.build(norm())(torch.ones(1, 3))

    assert actual.tolist() == [[2.0] * 3]
    assert [[one["op"] for one in frame.get("first", [])] for frame, _ in runner.frames] == [["call", "set"]]
    assert asked(transcript) == ["build", "set", "call"]
    assert [set(one.answer) for one in transcript.exchanges] == [{"value"}] * 3


def test_a_constructor_that_raises_is_told_of_by_the_first_use_under_its_own_name(student, transcript):
    module = student.build(norm(13))

    with pytest.raises(CheckFailure) as failure:
        module(torch.ones(1, 13))

    assert failure.value.message == "call.raised"
    assert (failure.value.arguments["name"], failure.value.arguments["type"]) == ("RMSNorm", "RuntimeError")
    assert asked(transcript) == ["build"]


def test_what_nobody_uses_is_asked_all_the_same(student, transcript):
    student.build(norm(13))

    with pytest.raises(CheckFailure, match=r"call\.raised"):
        student.settle()
    assert asked(transcript) == ["build"]


def test_chunks_go_together_and_are_judged_in_order(student, runner):
    k = torch.zeros(1, 20, 1, 2)

    with pytest.raises(CheckFailure) as failure:
        student.cache().append_in_chunks(k, k, (6, 7, 7))

    assert (failure.value.message, failure.value.arguments["name"]) == ("result.not-a-pair", "KVCache.append")
    assert len(runner.frames) == 1


def test_after_an_error_in_a_chunk_no_further_one_is_fed(student, transcript):
    k = torch.zeros(1, 2000, 1, 1)

    with pytest.raises(CheckFailure) as failure:
        student.cache().append_in_chunks(k, k, (900, 200, 900))

    assert failure.value.arguments["type"] == "IndexError"
    assert asked(transcript) == ["build", "call", "call"]


def test_many_chunks_are_a_few_frames_in_order(student, runner, transcript):
    k = torch.zeros(1, 70, 1, 1)

    keys, _ = student.cache().append_in_chunks(k, k, (1,) * 12 + (2,) * 29)

    assert keys.unique().tolist() == [70.0]
    assert asked(transcript) == ["build"] + ["call"] * 41
    assert len(runner.frames) == 4
    assert max(len(frame.get("first", [])) for frame, _ in runner.frames) <= line.MOST_POSTED


def test_a_frame_has_time_for_its_calls(student, runner):
    cache, k = student.cache(), torch.zeros(1, 3, 1, 1)
    cache.append_in_chunks(k, k, (1, 1, 1))
    assert cache.length == 3

    assert [seconds for _, seconds in runner.frames] == [12.0, 10.0]


def test_what_was_too_slow_once_gets_little_time_together_too(student, runner, transcript):
    state = RunState(runner, {})
    state.slow.add("KVCache")
    k = torch.zeros(1, 3, 1, 1)
    Student(Calls(state, transcript)).cache().append_in_chunks(k, k, (1, 1, 1))

    assert [seconds for _, seconds in runner.frames] == [4.0]


@pytest.mark.parametrize(
    "first",
    [pytest.param([], id="none"), pytest.param([{"value": None}], id="one of two"), pytest.param("?", id="no list")],
)
def test_answers_that_are_missing_pass_nothing(student, runner, transcript, first):
    runner.change = lambda answer: {**answer, "first": first} if "first" in answer else answer

    with pytest.raises(CheckFailure) as failure:
        student.build(norm())(torch.ones(1, 3))

    assert failure.value.outcome is Outcome.PROTOCOL
    assert not transcript.complete


def test_all_answers_together_being_too_much_is_the_submissions_own_error(student, runner):
    error = {"kind": "too-much", "type": "StudentFault", "message": "a body of 70 MiB", "fields": {}}
    runner.change = lambda answer: {"error": error} if "first" in answer else answer

    with pytest.raises(CheckFailure) as failure:
        student.build(norm())(torch.ones(1, 3))

    assert failure.value.outcome is Outcome.STUDENT_ERROR


def test_posting_more_than_a_frame_holds_sends_what_is_there(student, runner):
    caches = [student.cache() for _ in range(line.MOST_POSTED + 3)]
    k = torch.zeros(1, 1, 1, 1)
    for cache in caches:
        cache.append(k, k)

    assert [cache.length for cache in caches] == [1] * len(caches)
    assert len(runner.frames[0][0]["first"]) == line.MOST_POSTED - 1
