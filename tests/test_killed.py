"""A grader that is killed at any moment leaves no half report, no process, and no container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import engine_here
import pytest
from command_line import PLAIN, environment

from grader.report import json_file
from grader.runners.docker import sweep

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")

MOMENTS = (0.6, 1.4, 2.2, 3.0)
"""Seconds after its start: while torch is imported, a worker starts, checks run, the report is written."""

WRITER = """
import sys
from pathlib import Path
from grader.report import json_file
target = Path(sys.argv[1])
report = json_file.from_json(target.read_text("utf-8"))
print("ready", flush=True)
for seed in range(1_000_000):
    json_file.write(report.model_copy(update={"seed": seed}), target)
"""


def processes_with(variable: str) -> set[int]:
    """Processes in whose environment ``variable`` stands, as NAME=VALUE."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.add(int(process.name))
        except OSError:
            continue
    return found


def wait_until(condition, *, within: float) -> bool:
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def killed_check(tmp_path: Path, runner: str, moment: float) -> tuple[Path, int]:
    """Start ``grader check``, kill it after ``moment`` seconds; the report that may be there, and its process id."""
    report = tmp_path / "report.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "check", str(PLAIN), "--runner", runner, "--json", str(report)],
        env=environment(TMPDIR=str(tmp_path)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(moment)
    process.kill()
    assert process.wait() in (0, -signal.SIGKILL)
    return report, process.pid


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_local_run_that_is_killed_leaves_no_process_and_no_half_report(tmp_path, moment):
    report, _ = killed_check(tmp_path, "local", moment)

    assert wait_until(lambda: not processes_with(f"TMPDIR={tmp_path}"), within=5)
    assert not report.exists() or json_file.from_json(report.read_text("utf-8")).graded


@pytest.mark.docker
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_docker_run_that_is_killed_leaves_no_container_after_the_next_start_and_no_half_report(tmp_path, moment):
    client = engine_here.needed()
    report, pid = killed_check(tmp_path, "docker", moment)

    time.sleep(0.5)  # what the engine was asked for at the last moment may only now come to be
    sweep.sweep(client)

    its = {"label": f"assignment1-grader.pid={pid}"}
    assert wait_until(lambda: client.api.containers(all=True, filters=its) == [], within=5)
    assert not report.exists() or json_file.from_json(report.read_text("utf-8")).graded


def test_a_report_that_is_being_replaced_is_whole_at_every_moment(tmp_path):
    target = tmp_path / "report.json"
    subprocess.run(
        [sys.executable, "-m", "grader", "check", str(PLAIN), "--only", "rope.base", "--json", str(target)],
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    seeds = set()
    for moment in (0.0, 0.003, 0.007, 0.011, 0.05):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONUTF8": "1"}
        )
        writer.stdout.readline()
        time.sleep(moment)
        writer.kill()
        writer.communicate()
        seeds.add(json_file.from_json(target.read_text("utf-8")).seed)

    assert len(seeds) > 1
