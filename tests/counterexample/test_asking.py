"""Which step it is that has no answer, though objects are constructed with their first use."""

from __future__ import annotations

import torch

from grader.counterexample.asking import Asking
from grader.counterexample.steps import Step
from grader.run_state import RunState
from grader.runners.in_process import InProcessRunner
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.transcript import Transcript


def walked(cache: type, steps: list[Step]) -> Asking:
    transcript = Transcript()
    runner = InProcessRunner(lambda target: cache if target.endswith(":KVCache") else None)
    asking = Asking(Student(Calls(RunState(runner, {}), transcript)), transcript)
    asking.ask(steps)
    return asking


def append(on: int, *, keep: bool = False) -> Step:
    k = torch.zeros(1, 1, 1, 1)
    return Step("call", "KVCache", on, {"k": k, "v": k}, keep=keep)


class OnlyOne:
    made = 0

    def __init__(self) -> None:
        OnlyOne.made += 1
        if OnlyOne.made > 1:
            raise RuntimeError("one is enough")

    def append(self, k, v):
        return k, v


def test_a_second_object_that_cannot_be_made_is_the_step_that_fails():
    OnlyOne.made = 0
    build = Step("build", "KVCache")

    asking = walked(OnlyOne, [build, append(0, keep=True), build, append(2)])

    assert asking.answers is None
    assert len(asking._answers) == 2


def test_an_object_that_nobody_uses_is_made_all_the_same():
    OnlyOne.made = 1

    asking = walked(OnlyOne, [Step("build", "KVCache")])

    assert asking.answers is None
    assert asking._answers == []


def test_a_call_that_fails_is_a_step_of_its_own():
    class Broken:
        def append(self, k, v):
            raise RuntimeError("no")

    asking = walked(Broken, [Step("build", "KVCache"), append(0)])

    assert len(asking._answers) == 1


def test_a_constructor_that_refuses_too_little_is_a_step_of_its_own():
    class Lenient:
        def __init__(self, **sizes):
            assert not sizes, "no sizes here"

        def append(self, k, v):
            return k, v

    asking = walked(Lenient, [Step("build", "KVCache"), append(0), Step("refused", "KVCache", arguments={"eps": 3})])

    assert asking.answers is None
    assert len(asking._answers) == 2
