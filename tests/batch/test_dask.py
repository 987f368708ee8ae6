"""Dask's worker processes as the engine: one is killed, the scheduler goes, nothing listens beyond loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from classes import command, grader, grades, make_class, small_assignment
from command_line import environment

from grader.batch.dask_engine import dask
from grader.batch.tasks import Result, Task
from grader.errors import UsageError

pytest.importorskip("distributed", reason="Dask comes with the extra cluster")
COUNT = 10


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A class, and its run on slots."""
    place = tmp_path_factory.mktemp("dask")
    make_class(place / "class", COUNT)
    done = grader("batch", *options(place, "slots"), "--jobs", 2)
    assert done.returncode == 0, done.stderr
    return place


def options(place: Path, run: str) -> list[object]:
    assignment = small_assignment(place)
    return [place / "class", "-o", place / run, "--assignment", assignment, "--no-html", "--seed", 3, "--lang", "en"]


class Cluster:
    """A scheduler and two workers, each a process of its own, as on several machines.

    Args:
        resources: what the workers say that they have.
    """

    def __init__(self, folder: Path, resources: Sequence[str] = ("", "")) -> None:
        self._folder, self._file = folder, folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        deadline = time.monotonic() + 120
        while not self._file.exists():
            assert time.monotonic() < deadline, "no scheduler"
            time.sleep(0.1)
        usual = ("--no-nanny", "--no-dashboard", "--nthreads", "1")
        self.workers = [self._start("worker", *usual, *(["--resources", has] if has else [])) for has in resources]
        import json

        self.address = json.loads(self._file.read_text("utf-8"))["address"]

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "distributed.cli.dask_" + ("scheduler" if kind == "scheduler" else "worker")]
        return subprocess.Popen(
            [*program, "--scheduler-file", str(self._file), *arguments],
            env=environment(),
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.end()


def started(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command("batch", *arguments),
        env=environment(),
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def after_lines(process: subprocess.Popen[str], count: int) -> None:
    for _ in range(count + 1):  # one more says what is about to be graded
        assert process.stdout.readline()


def test_a_worker_that_is_killed_in_mid_run_costs_nothing(place, cluster):
    process = started(*options(place, "killed"), "--scheduler", cluster.address)
    after_lines(process, 2)

    cluster.workers[0].kill()
    out, errors = process.communicate(timeout=250)

    assert process.returncode == 0, errors
    assert f"{COUNT} graded" in out
    assert grades(place / "killed") == grades(place / "slots")


def test_a_scheduler_that_goes_in_mid_run_is_said_and_nothing_is_lost(place, cluster):
    process = started(*options(place, "gone"), "--scheduler", cluster.address)
    after_lines(process, 2)

    cluster.scheduler.kill()
    _, errors = process.communicate(timeout=250)

    assert process.returncode == 3
    assert "--resume" in errors
    assert "Traceback" not in errors
    done = grader("batch", *options(place, "gone"), "--resume", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert "were finished before" in done.stdout
    assert grades(place / "gone") == grades(place / "slots")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks for listeners in /proc")
def test_workers_started_here_listen_on_loopback_only(place):
    process = started(*options(place, "embedded"), "--engine", "dask", "--jobs", 2)
    after_lines(process, 1)

    family = descendants(process.pid)
    listening = listeners(family)
    _, errors = process.communicate(timeout=250)

    assert process.returncode == 0, errors
    assert listening
    assert {address for address in listening if not address.startswith("127.")} == set()
    assert grades(place / "embedded") == grades(place / "slots")


SLOT = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"error": str(os.getppid())}), flush=True)
"""


@pytest.fixture
def mixed_cluster(tmp_path):
    """The second worker has a GPU."""
    made = Cluster(tmp_path, ("", "GPU=1"))
    yield made
    made.end()


def test_what_needs_a_gpu_goes_to_the_worker_that_has_one(mixed_cluster):
    task = Task(name="s", files={}, settings="{}", seed=1, seconds=60).model_dump_json()
    with dask(1, ["-c", SLOT], scheduler=mixed_cluster.address, device="cpu,cuda") as engine:
        asked = [engine.submit(task) for _ in range(6)]
        done = [Result.model_validate_json(future.result(timeout=100)) for future in asked]

    assert engine.jobs == 1
    assert {result.error for result in done} == {str(mixed_cluster.workers[1].pid)}


def test_a_cluster_without_a_gpu_is_a_sentence_and_no_wait_without_end(cluster):
    with (
        pytest.raises(UsageError, match="--resources GPU=1"),
        dask(1, ["-c", SLOT], scheduler=cluster.address, device="cuda"),
    ):
        pass


def descendants(root: int) -> set[int]:
    return {root, *(child.pid for child in psutil.Process(root).children(recursive=True))}


def listeners(pids: set[int]) -> set[str]:
    """Addresses on which these processes listen."""
    inodes = set()
    for pid in pids:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                target = os.readlink(handle)
            except OSError:
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                raw = fields[1].partition(":")[0]
                found.add(".".join(str(byte) for byte in bytes.fromhex(raw)[::-1]) if table == "tcp" else raw)
    return found
