"""What every runner must do when a worker does not answer: tell the endings apart, and in time.

What becomes of processes: test_runner_processes.py.
"""

from __future__ import annotations

import textwrap
import time

import pytest
from worker_probe import call, loss_in

from grader.errors import Outcome

NORM = """
    import ctypes, os, signal, struct, sys, time

    def process():
        return [os.getpid(), os.getppid()]

    def hang():
        while True:
            pass

    def hang_and_swallow_everything():
        for number in range(1, signal.NSIG):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            try:
                time.sleep(1)
            except BaseException:  # the submission under test swallows everything
                pass

    def exit_0():
        print("all passed", flush=True)
        os._exit(0)

    def exit_3():
        os._exit(3)

    def segfault():
        ctypes.string_at(0)

    def kill_itself():
        os.kill(os.getpid(), signal.SIGKILL)

    def flood():
        while True:
            os.write(1, b"A" * 65536)

    def open_descriptors():
        return [number for number in range(64) if _is_open(number)]

    def _is_open(number):
        try:
            os.fstat(number)
        except OSError:
            return False
        return True

    def write_everywhere(data):
        for number in open_descriptors():
            try:
                os.write(number, data)
            except OSError:
                pass

    def write_garbage():
        write_everywhere(os.urandom(200))
        return 1

    def forge_an_answer_to_another_request():
        write_everywhere(struct.pack("<4sBxxxQI", b"AG1\\n", 3, 999, 1) + b"N")
        return 1

    def announce_four_gigabytes():
        write_everywhere(struct.pack("<4sBxxxQI", b"AG1\\n", 3, 1, 2**32 - 1))
        time.sleep(60)

    def request_number():
        frame = sys._getframe()
        while "number" not in frame.f_locals:
            frame = frame.f_back
        return frame.f_locals["number"]

    def answer_with_a_pickle():
        write_everywhere(struct.pack("<4sBxxxQI", b"AG1\\n", 3, request_number(), 4) + b"\\x80\\x04N.")
        time.sleep(60)

    def close_everything():
        os.closerange(0, 4096)
        return 1

    def close_everything_and_wait():
        os.closerange(0, 4096)
        time.sleep(60)
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}
A_SECOND_OR_SO = 4.0  # a busy machine is slow, and all that matters is that nothing waits for a minute


@pytest.fixture
def worker(runner):
    worker = runner.start(FILES)
    runner.prepare()  # the next test's
    yield worker
    worker.close()


@pytest.fixture
def clock():
    began = time.monotonic()
    return lambda: time.monotonic() - began


@pytest.mark.parametrize("name", ["hang", "hang_and_swallow_everything"])
def test_a_hang_is_ended_in_time(worker, clock, name):
    lost = loss_in(worker, name, seconds=0.5)

    assert lost.outcome is Outcome.TIMEOUT
    assert lost.arguments == {"seconds": "0.5"}
    assert clock() < A_SECOND_OR_SO


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("exit_0", "exit code 0"),
        ("exit_3", "exit code 3"),
        ("segfault", "signal SIGSEGV"),
        ("kill_itself", "signal SIGKILL"),
    ],
)
def test_crashes_are_told_apart(worker, name, ending):
    lost = loss_in(worker, name)

    assert lost.outcome is Outcome.CRASH
    assert lost.arguments == {"ending": ending}


def test_exit_between_calls_is_seen(worker, runner, processes):
    if runner.isolation == "bubblewrap":
        pytest.skip("its processes have other numbers out here")
    pid, _ = call(worker, "process")
    processes.kill(pid)

    lost = loss_in(worker, "process")

    assert (lost.outcome, lost.arguments) == (Outcome.CRASH, {"ending": "signal SIGKILL"})


def test_a_flood_of_output_ends_the_worker_and_is_not_kept(worker, runner, clock):
    lost = loss_in(worker, "flood")

    assert lost.outcome is Outcome.OUTPUT_LIMIT
    assert lost.arguments == {"mebibytes": 1}
    assert len(worker.output()) == runner.limits.kept_output
    assert clock() < A_SECOND_OR_SO


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("write_garbage", "not a frame"),
        ("forge_an_answer_to_another_request", "an answer to another request"),
        ("announce_four_gigabytes", "body of 4294967295 bytes"),
        ("answer_with_a_pickle", "unknown tag"),
    ],
)
def test_bytes_that_are_no_answer_end_the_worker(worker, clock, name, reason):
    lost = loss_in(worker, name)

    assert lost.outcome is Outcome.PROTOCOL
    assert reason in lost.arguments["detail"]
    assert clock() < A_SECOND_OR_SO


@pytest.mark.parametrize("name", ["close_everything", "close_everything_and_wait"])
def test_closing_all_descriptors_is_a_crash(worker, clock, name):
    lost = loss_in(worker, name)

    assert lost.outcome is Outcome.CRASH
    assert clock() < A_SECOND_OR_SO


def test_the_worker_has_no_descriptor_but_its_streams(worker):
    standard_streams_and_two_for_frames = 5

    assert len(call(worker, "open_descriptors")) == standard_streams_and_two_for_frames
