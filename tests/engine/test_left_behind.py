"""A grader that is killed leaves no container, at the latest after the next one has started."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import engine_here
import pytest
from worker_probe import call

from grader.errors import RunnerUnavailable
from grader.runners.docker import image, sweep
from grader.runners.docker.runner import DockerRunner

pytestmark = pytest.mark.docker

KILLED = """
import os, signal, sys, threading, time
from grader.runners.docker.runner import DockerRunner
files = {"assignment1/norm.py": "def busy():\\n    while True: pass\\n"}
runner = DockerRunner()
worker = runner.start(files)
print(*(container.id for _, container in runner._used), flush=True)
request = {"op": "call", "check": "", "target": "assignment1.norm:busy", "arguments": {}, "positional": 0}
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
worker.ask(request, seconds=60)
"""


def exists(client, container: str, *, within: float) -> bool:
    import docker.errors

    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            client.api.inspect_container(container)
        except docker.errors.NotFound:
            return False
        time.sleep(0.05)
    return True


def abandoned(client, **changes: str) -> str:
    """A container, not started, with the labels of another grader."""
    labels = {**sweep.labels(lifetime=600), **{f"assignment1-grader.{name}": value for name, value in changes.items()}}
    return client.containers.create(image.find(client), ["true"], labels=labels).id


def remove(client, container: str) -> None:
    client.api.remove_container(container, force=True)


def test_a_busy_worker_ends_with_a_grader_that_was_killed(client):
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not exists(client, killed.stdout.split()[0], within=10)


def test_a_container_of_a_dead_process_is_swept(client):
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = abandoned(client, pid=str(gone.pid))

    sweep.sweep(client)

    assert not exists(client, left, within=1)


def test_a_container_of_a_process_whose_number_is_used_again_is_swept(client):
    left = abandoned(client, started="1")

    sweep.sweep(client)

    assert not exists(client, left, within=1)


@pytest.mark.parametrize("changes", [{}, {"host": "another", "pid": "1"}], ids=["this process", "another host"])
def test_a_container_that_may_still_be_wanted_stays(client, changes):
    wanted = abandoned(client, **changes)

    sweep.sweep(client)

    assert exists(client, wanted, within=0.2)
    remove(client, wanted)


def test_a_container_whose_time_is_over_is_swept_wherever_it_came_from(client):
    left = abandoned(client, host="another", expires="1")

    sweep.sweep(client)

    assert not exists(client, left, within=1)


def test_every_runner_sweeps_when_it_starts(client):
    left = abandoned(client, started="1")
    runner = DockerRunner()

    runner.prepare()
    runner.close()

    assert not exists(client, left, within=1)


def test_closing_the_runner_leaves_no_container(client):
    before = engine_here.containers(client)
    runner = DockerRunner()
    workers = [runner.start({"assignment1/norm.py": f"x = {number}"}) for number in range(2)]
    runner.prepare()
    started = engine_here.containers(client) - before

    runner.close()

    assert len(workers) == 2
    assert len(started) >= 2
    assert engine_here.containers(client) == before


def test_a_runner_may_be_prepared_and_closed_at_any_time(client):
    before = engine_here.containers(client)
    runner = DockerRunner()
    runner.close()
    runner.prepare()
    runner.prepare()
    runner.close()
    runner.close()

    worker = runner.start({"assignment1/norm.py": "def same(x): return x"})
    answer = call(worker, "same", 1)
    worker.close()
    runner.close()

    assert answer == 1
    assert engine_here.containers(client) == before


def test_a_container_that_does_not_come_up_is_removed(client, monkeypatch):
    before = engine_here.containers(client)
    monkeypatch.setattr("grader.runners.docker.container.PYTHON", "/no/such/python")

    with pytest.raises(RunnerUnavailable):
        DockerRunner().start({})

    assert engine_here.containers(client) == before
