"""What every runner must do with processes: start them or say why not, and leave none behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import engine_here
import pytest
from worker_probe import LEAVES_A_DAEMON, UNGUARDED, call, has_ended, loss_in

from grader.errors import Outcome, RunnerUnavailable
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

NORM = """
    import os, time

    def process():
        return [os.getpid(), os.getppid()]

    def leave_a_child(quiet=False):
        pid = os.fork()
        if pid == 0:
            if quiet:
                os.closerange(0, 64)
            time.sleep(60)
            os._exit(0)
        return pid

    def leave_a_child_and_exit():
        os.write(2, f"child {leave_a_child()}.".encode())
        os._exit(0)

    def leave_a_quiet_child_and_exit():
        os.write(2, f"child {leave_a_child(quiet=True)}.".encode())
        os._exit(5)

    def hang_with_a_daemon():
        os.write(2, f"child {leave_a_daemon()}.".encode())
        while True:
            pass

    def hang():
        os.write(2, f"child {leave_a_child()}.".encode())
        while True:
            pass
"""
FILES = {"assignment1/norm.py": LEAVES_A_DAEMON + textwrap.dedent(NORM)}
WHAT_CLOSE_MAY_TAKE = 3.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork and no process groups")


@pytest.fixture(scope="module")
def runner(kind, new_runner):
    if kind == "bubblewrap":
        pytest.skip("its processes have other numbers out here")
    runner = new_runner(Limits(), environment=UNGUARDED)
    yield runner
    runner.close()


@pytest.fixture
def worker(runner):
    worker = runner.start(FILES)
    yield worker
    worker.close()


def closing_time(worker) -> float:
    began = time.monotonic()
    worker.close()
    return time.monotonic() - began


def child_named_in(output: str) -> int:
    return int(output.partition("child ")[2].partition(".")[0])


def test_closing_a_worker_ends_it_and_its_children(worker, processes):
    pid, child = call(worker, "process")[0], call(worker, "leave_a_child")

    seconds = closing_time(worker)

    assert processes.have_ended(pid, child)
    assert seconds < WHAT_CLOSE_MAY_TAKE


def test_a_timeout_ends_the_children_too(worker, processes):
    lost = loss_in(worker, "hang", seconds=0.5)

    assert lost.outcome is Outcome.TIMEOUT
    assert processes.have_ended(child_named_in(worker.output()))


def test_a_child_that_keeps_the_streams_open_costs_no_more_than_the_call(worker, processes):
    began = time.monotonic()

    lost = loss_in(worker, "leave_a_child_and_exit", seconds=1)

    assert lost.outcome in (Outcome.CRASH, Outcome.TIMEOUT)
    assert time.monotonic() - began < 1 + WHAT_CLOSE_MAY_TAKE
    assert processes.have_ended(child_named_in(worker.output()))


def test_a_crash_ends_the_children_too(worker, processes):
    lost = loss_in(worker, "leave_a_quiet_child_and_exit")

    assert lost.arguments == {"ending": "exit code 5"}
    assert processes.have_ended(child_named_in(worker.output()))


def test_a_daemon_does_not_delay_the_end(worker, kind):
    daemon = call(worker, "leave_a_daemon")

    seconds = closing_time(worker)

    assert seconds < WHAT_CLOSE_MAY_TAKE
    if kind == "spawn":  # the other kinds end daemons themselves
        os.kill(daemon, signal.SIGKILL)


def test_a_daemon_that_holds_the_streams_of_a_hung_worker_does_not_hold_the_grader(worker, kind):
    began = time.monotonic()

    lost = loss_in(worker, "hang_with_a_daemon", seconds=0.5)
    seconds = time.monotonic() - began
    if kind == "spawn":
        with contextlib.suppress(ProcessLookupError):
            os.kill(child_named_in(worker.output()), signal.SIGKILL)

    assert lost.outcome is Outcome.TIMEOUT
    assert seconds < 0.5 + WHAT_CLOSE_MAY_TAKE


def test_closing_twice_is_harmless(worker):
    worker.close()
    worker.close()

    assert not worker.alive


def test_a_runner_may_be_prepared_and_closed_at_any_time(kind, new_runner):
    before = children() | containers(kind)
    runner = new_runner()
    runner.close()
    runner.prepare()
    runner.prepare()
    runner.close()
    runner.close()

    worker = runner.start(FILES)
    assert len(call(worker, "process")) == 2
    worker.close()
    runner.close()

    deadline = time.monotonic() + WHAT_CLOSE_MAY_TAKE
    while not children() | containers(kind) <= before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert children() | containers(kind) <= before


def test_closing_the_runner_leaves_no_process(forks):
    before = children()
    runner = LocalRunner(fork=forks, sandbox=False)
    workers = [runner.start(FILES) for _ in range(2)]
    pids = [call(worker, "process")[0] for worker in workers]
    runner.prepare()
    started = children() - before

    for worker in workers:
        worker.close()
    runner.close()

    assert started
    assert children() <= before
    assert all(has_ended(pid) for pid in pids)


def test_a_worker_does_not_outlive_a_grader_that_was_killed(forks):
    script = f"""
import os, signal
from grader.runners.local import LocalRunner
worker = LocalRunner(fork={forks}, sandbox=False).start({FILES!r})
request = {{"op": "call", "check": "", "target": "assignment1.norm:process", "arguments": {{}}, "positional": 0}}
print(*worker.ask(request, seconds=30)["value"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    pid = int(ended.stdout.split()[0])

    assert ended.returncode == -signal.SIGKILL
    assert has_ended(pid)


def test_a_worker_that_is_not_ready_in_time_is_our_fault(new_runner):
    runner = new_runner(Limits(start=0.05))

    with pytest.raises(RunnerUnavailable):
        runner.start(FILES)
    runner.close()


def test_a_missing_interpreter_is_our_fault(forks, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    runner = LocalRunner(fork=forks, sandbox=False)

    with pytest.raises(RunnerUnavailable, match="cannot start a local worker"):
        runner.start(FILES)
    runner.close()


def test_a_worker_that_cannot_start_says_why(forks, monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such torch >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    runner = LocalRunner(fork=forks, sandbox=False)

    with pytest.raises(RunnerUnavailable, match="no such torch"):
        runner.start(FILES)
    runner.close()


def containers(kind: str) -> set[object]:
    """This process's containers."""
    return set(engine_here.containers(engine_here.needed())) if kind == "docker" else set()


def children() -> set[object]:
    """Process ids of this process's children, zombies left out."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                found.add(int(status.parent.name))
    return found
