"""``grader batch --runner docker``: a container a submission, the grades of the local runner, nothing left behind."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time

import engine_here
import psutil
import pytest
from classes import command, grades, make_class, small_assignment, submissions, zipped
from command_line import environment

pytestmark = pytest.mark.docker

CRASHES = {"assignment1/rope.py": "import os\nos.kill(os.getpid(), 9)\n"}


def mixed_class(place):
    """Three of the small class, and one that ends its worker."""
    folder = make_class(place / "in", 3)
    (folder / "2000.zip").write_bytes(zipped({**submissions(1)[0], **CRASHES}))
    return folder


def run(*arguments):
    """Run the command line; returns its exit code and the ids of all processes below it."""
    process = subprocess.Popen(command(*arguments), env=environment(), stdout=subprocess.DEVNULL)
    seen = {process.pid}
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            seen |= {child.pid for child in psutil.Process(process.pid).children(recursive=True)}
        time.sleep(0.1)
    return process.returncode, seen


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same class by both runners, in one slot, so that one submission follows another; and the processes."""
    engine_here.needed()
    place, processes = tmp_path_factory.mktemp("docker-batch"), set()
    source, assignment = mixed_class(place), small_assignment(place)
    for runner in ("local", "docker"):
        arguments = ["--assignment", assignment, "--jobs", 1, "--seed", 4, "--runner", runner]
        code, processes = run("batch", source, "-o", place / runner, *arguments)
        assert code == 0
    return place, processes


def test_the_grades_are_those_of_the_local_runner(runs):
    local, docker = grades(runs[0] / "local"), grades(runs[0] / "docker")

    assert docker == local
    assert [docker[name][:2] for name in ("1000", "2000")] == [("graded", 6), ("graded", 2)]


def test_reports_say_that_they_can_be_trusted(runs):
    report = json.loads(next((runs[0] / "docker").rglob("report.json")).read_text("utf-8"))

    assert (report["runner"], report["isolation"], report["trusted"]) == ("docker", "container", True)


def test_no_container_is_left(runs):
    client = engine_here.needed()
    left = client.api.containers(all=True, filters={"label": "assignment1-grader.pid"})

    assert [one["Id"] for one in left if int(one["Labels"]["assignment1-grader.pid"]) in runs[1]] == []
