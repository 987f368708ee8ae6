"""How a container's limits end a call, told apart, and what the next check gets."""

from __future__ import annotations

import textwrap
import time

import engine_here
import pytest
from worker_probe import call, error_of, loss_in

from grader.errors import Outcome, WorkerLost

NORM = """
    import os, signal, threading, time

    def same(x):
        return x

    def bomb():
        held = []
        while True:
            held.append(bytearray(b"a" * (8 << 20)))

    def bomb_in_a_child(status):
        pid = os.fork()
        if pid == 0:
            bomb()
        os.waitpid(pid, 0)
        if status is not None:
            os._exit(status)
        return "survived"

    def bomb_in_a_child_and_exit():
        bomb_in_a_child(3)

    def kill_itself():
        os.kill(os.getpid(), signal.SIGKILL)

    def fork_bomb():
        while True:
            try:
                os.fork()
            except OSError:
                pass

    def threads():
        while True:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

    def fill():
        with open("/tmp/fill", "wb") as file:
            while True:
                file.write(b"a" * (1 << 20))

    def signal_relay(number):
        os.kill(os.getppid(), number)
        time.sleep(60)

    def kill_relay():
        signal_relay(signal.SIGKILL)

    def stop_relay():
        signal_relay(signal.SIGSTOP)

    def kill_everything():
        os.kill(-1, signal.SIGKILL)

    def forge_messages_of_the_relay():
        import ctypes
        reached = []
        for number in range(10):
            try:
                os.write(os.open(f"/proc/{os.getppid()}/fd/{number}", os.O_WRONLY), b"\\x12\\x01\\x00\\x00\\x00N")
                reached.append(number)
            except OSError:
                pass
        attached = ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)
        return [reached, attached]

    def leave_a_file():
        seen = os.path.exists("/tmp/left")
        open("/tmp/left", "w").close()
        return seen
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}
OTHER_FILES = {**FILES, "helper.py": "another = 'submission'\n"}

pytestmark = pytest.mark.docker


@pytest.fixture
def worker(runner):
    return runner.start(FILES)


def next_worker_answers(runner) -> bool:
    worker = runner.start(FILES)
    return call(worker, "same", 1) == 1


@pytest.mark.parametrize("name", ["bomb", "bomb_in_a_child_and_exit"])
def test_memory_beyond_the_limit_is_oom(runner, worker, name):
    assert loss_in(worker, name).outcome is Outcome.OOM
    assert next_worker_answers(runner)


def test_a_crash_after_an_earlier_call_ran_out_of_memory_is_a_crash(worker):
    assert call(worker, "bomb_in_a_child", None) == "survived"

    assert loss_in(worker, "kill_itself").outcome is Outcome.CRASH


def test_a_fork_bomb_times_out_and_is_gone_at_once(runner, worker):
    began = time.monotonic()

    lost = loss_in(worker, "fork_bomb", seconds=1)

    assert lost.outcome is Outcome.TIMEOUT
    assert next_worker_answers(runner)
    assert time.monotonic() - began < 1 + 4.5  # less than waiting for a relay that does not get through


@pytest.mark.parametrize(("name", "raised"), [("threads", "RuntimeError"), ("fill", "OSError")])
def test_limits_that_raise_are_the_student_s_error(worker, name, raised):
    assert error_of(worker, name)["type"] == raised


@pytest.mark.parametrize("name", ["kill_relay", "kill_everything"])
def test_a_submission_that_kills_what_started_it_crashes_and_gets_a_new_container(runner, worker, name):
    assert loss_in(worker, name).outcome is Outcome.CRASH
    assert next_worker_answers(runner)


def test_a_submission_that_stops_what_started_it_times_out_and_gets_a_new_container(runner, worker, monkeypatch):
    monkeypatch.setattr("grader.runners.docker.worker._REAP_TIMEOUT", 0.5)

    assert loss_in(worker, "stop_relay", seconds=1).outcome is Outcome.TIMEOUT
    assert next_worker_answers(runner)


def test_a_submission_cannot_speak_for_what_started_it(worker):
    reached, attached = call(worker, "forge_messages_of_the_relay")

    assert reached == []
    assert attached == -1


def test_a_replacement_is_forked_and_costs_no_container(runner, worker, client):
    with pytest.raises(WorkerLost):
        call(worker, "kill_itself")
    before = engine_here.containers(client)

    second = runner.start(FILES)

    assert engine_here.containers(client) == before
    assert call(second, "leave_a_file") is False


def test_another_submission_gets_another_container(runner, worker):
    assert call(worker, "leave_a_file") is False
    worker.close()
    other = runner.start(OTHER_FILES)

    assert call(other, "leave_a_file") is False
