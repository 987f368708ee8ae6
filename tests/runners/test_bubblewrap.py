"""What the sandbox keeps away by itself: these workers have neither a system call filter nor Landlock."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from worker_probe import UNGUARDED, call, error_of, has_ended

import reference
from grader.errors import Outcome, WorkerLost
from grader.runners import bubblewrap
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

pytestmark = pytest.mark.skipif(not bubblewrap.is_available(), reason="no bubblewrap, or no namespaces for it")

NORM = """
    import os, signal, socket, time

    def same(x): return x
    def read(path): return len(open(path).read())
    def write(path): open(path, "w").write("x")
    def exists(path): return os.path.exists(path)
    def processes(): return len([name for name in os.listdir("/proc") if name.isdigit()])
    def connect(port): socket.create_connection(("127.0.0.1", port), timeout=1)
    def parent(): return os.getppid()

    def leave_a_daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        return 1

    def kill_parent():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)

    def stop_parent_and_hang():
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(60)
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}


@pytest.fixture(scope="module")
def runner():
    runner = LocalRunner(Limits(), environment=UNGUARDED, sandbox=True)
    yield runner
    runner.close()


@pytest.fixture
def worker(runner):
    worker = runner.start(FILES)
    yield worker
    worker.close()


def test_a_runner_in_a_sandbox_says_so_and_is_not_trusted(runner):
    assert runner.isolation == "isolation.bubblewrap"
    assert not runner.trusted
    assert LocalRunner(sandbox=False).isolation == LocalRunner(fork=False).isolation == "isolation.none"


def test_a_sandbox_is_taken_where_it_works():
    assert LocalRunner().isolation == "isolation.bubblewrap"


@pytest.mark.parametrize(
    "path", [Path(reference.__file__), Path(__file__), Path("/etc/hostname"), Path.home() / ".bashrc"]
)
def test_files_that_python_does_not_need_are_not_there(worker, path):
    assert error_of(worker, "read", str(path))["type"] == "FileNotFoundError"


def test_python_s_own_files_cannot_be_written(worker):
    assert error_of(worker, "write", os.__file__)["type"] == "OSError"


def test_what_is_written_is_gone_with_the_sandbox(worker):
    mark = Path("/tmp/mark-of-a-sandboxed-worker")

    call(worker, "write", str(mark))

    assert call(worker, "exists", str(mark))
    assert not mark.exists()


def test_other_processes_are_not_seen(worker):
    assert call(worker, "processes") <= 3


def test_this_machine_s_listeners_are_not_reached(worker):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        assert error_of(worker, "connect", listener.getsockname()[1])["type"] in ("ConnectionRefusedError", "OSError")
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_workers_share_one_import_of_torch(runner, worker):
    second = runner.start(FILES)

    parents = call(worker, "parent"), call(second, "parent")
    second.close()

    assert parents[0] == parents[1]


@pytest.mark.parametrize("name", ["kill_parent", "stop_parent_and_hang"])
def test_a_submission_that_ends_or_stops_the_parent_of_workers_does_not_end_the_run(runner, monkeypatch, name):
    monkeypatch.setattr("grader.runners.fork._REAP_TIMEOUT", 0.5)
    worker = runner.start(FILES)

    with pytest.raises(WorkerLost) as lost:
        call(worker, name, seconds=0.5)
    after = runner.start(FILES)
    answer = call(after, "same", 7)
    after.close()

    assert lost.value.outcome in (Outcome.TIMEOUT, Outcome.CRASH)
    assert answer == 7


def test_nothing_is_left_when_the_runner_closes():
    before = set(_descendants(os.getpid()))
    runner = LocalRunner(environment=UNGUARDED, sandbox=True)
    worker = runner.start(FILES)
    call(worker, "leave_a_daemon")
    inside = set(_descendants(os.getpid())) - before
    worker.close()
    runner.close()

    assert len(inside) >= 4  # bubblewrap twice, the process that forks, a worker
    assert all(has_ended(pid) for pid in inside)


def test_nothing_outlives_a_grader_that_was_killed():
    script = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from grader.runners.local import LocalRunner
worker = LocalRunner(environment={UNGUARDED!r}, sandbox=True).start({FILES!r})
from test_bubblewrap import _descendants
print(*_descendants(os.getpid()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )

    pids = [int(pid) for pid in ended.stdout.split()]
    assert pids, ended.stderr
    assert all(has_ended(pid) for pid in pids)


def _descendants(pid: int) -> list[int]:
    """Process ids of all that a process started, as this process sees them."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child), *_descendants(int(child))]
    return found
