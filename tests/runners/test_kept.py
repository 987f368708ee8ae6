"""A runner that is kept between runs."""

from __future__ import annotations

from grader.runners.base import Limits
from grader.runners.kept import KeptRunner


class Recorded:
    """A runner that notes what it is told."""

    name, trusted, isolation, limits = "local", False, "bubblewrap", Limits()

    def __init__(self):
        self.told = []

    def prepare(self):
        self.told.append("prepare")

    def start(self, files):
        self.told.append(("start", files))
        return "a worker"

    def close(self):
        self.told.append("close")


def test_the_end_of_a_run_makes_ready_for_the_next_one():
    inner = Recorded()
    runner = KeptRunner(inner)

    assert runner.start({"a": "b"}) == "a worker"
    assert inner.told == [("start", {"a": "b"}), "prepare"]  # the next one is made ready while this one runs
    runner.close()
    assert inner.told[2:] == ["prepare"]
    runner.end()
    assert inner.told[-1] == "close"


def test_a_runner_that_holds_submissions_is_told_when_one_is_done():
    class Holding(Recorded):
        def end_used(self):
            self.told.append("end used")

    inner = Holding()
    runner = KeptRunner(inner)
    runner.start({})
    runner.close()

    assert inner.told == [("start", {}), "prepare", "end used", "prepare"]


def test_it_says_of_itself_what_the_runner_says():
    runner = KeptRunner(Recorded())

    assert (runner.name, runner.trusted, runner.isolation, runner.limits) == ("local", False, "bubblewrap", Limits())


def test_a_warm_process_is_used_again(warm_runner):
    runner = KeptRunner(warm_runner)
    first = runner.start({})
    zygote = warm_runner._launcher._zygote.pid
    first.close()
    runner.close()

    second = runner.start({})
    second.close()

    assert warm_runner._launcher._zygote.pid == zygote
