"""What forking from one warm process adds: speed, and daemons that do not get away."""

from __future__ import annotations

import sys
import textwrap

import pytest
from worker_probe import UNGUARDED, call, has_ended, loss_in

from grader.errors import Outcome
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks only where that is safe")

NORM = """
    import os, signal, time

    def same(x):
        return x

    def process():
        return [os.getpid(), os.getppid()]

    def signal_parent(number):
        os.kill(os.getppid(), number)
        return 1

    def kill_parent_and_close_streams():
        os.kill(os.getppid(), signal.SIGKILL)
        os.closerange(0, 4096)
        time.sleep(60)

    def leave_daemons():
        reading, writing = os.pipe()
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.setsid()
                    os.write(writing, f"{os.getpid()} ".encode())
                    time.sleep(60)
                os._exit(0)
            os.wait()
        text = b""
        while text.count(b" ") < 3:
            text += os.read(reading, 100)
        return text.decode()
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}
SIGKILL, SIGSTOP = 9, 19


@pytest.fixture(scope="module")
def runner():
    runner = LocalRunner(Limits(), environment=UNGUARDED, fork=True, sandbox=False)
    yield runner
    runner.close()


@pytest.fixture
def worker(runner):
    worker = runner.start(FILES)
    yield worker
    worker.close()


def test_daemons_of_a_submission_end_with_its_worker(worker):
    daemons = [int(pid) for pid in call(worker, "leave_daemons").split()]

    worker.close()

    assert len(daemons) == 3
    assert all(has_ended(pid) for pid in daemons)


def test_the_end_of_one_worker_leaves_the_others_alone(runner, worker):
    other = runner.start(FILES)
    call(other, "leave_daemons")
    other.close()

    assert call(worker, "same", 1) == 1


def test_workers_come_from_one_process_so_that_torch_is_imported_once(runner, worker):
    second = runner.start(FILES)

    parents = [call(one, "process")[1] for one in (worker, second)]
    second.close()

    assert parents[0] == parents[1]


@pytest.mark.parametrize("number", [SIGKILL, SIGSTOP])
def test_a_submission_that_ends_or_stops_the_parent_of_workers_does_not_end_the_run(runner, monkeypatch, number):
    monkeypatch.setattr("grader.runners.fork._REAP_TIMEOUT", 0.5)
    worker = runner.start(FILES)
    pid, parent = call(worker, "process")
    call(worker, "signal_parent", number)

    worker.close()
    next_worker = runner.start(FILES)
    next_parent = call(next_worker, "process")[1]
    next_worker.close()

    assert has_ended(pid)
    assert has_ended(parent)
    assert next_parent != parent


def test_a_worker_that_kills_its_parent_and_hides_is_ended(runner):
    worker = runner.start(FILES)
    pid, _ = call(worker, "process")

    lost = loss_in(worker, "kill_parent_and_close_streams")

    assert lost.outcome is Outcome.CRASH
    assert has_ended(pid)
