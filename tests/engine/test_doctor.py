"""``grader doctor``: the verdict on every limit from facts alone, and the command without an engine."""

from __future__ import annotations

import dataclasses
import io
import json

import pytest
from rich.console import Console

from grader.cli import doctor
from grader.doctor.limits import judge
from grader.errors import UsageError
from grader.runners.docker.options import ContainerLimits

LIMITS = ContainerLimits()
GOOD = {
    "uid": 10001,
    "groups": [10001],
    "capabilities": ["0000000000000000"],
    "no_new_privileges": 1,
    "seccomp_mode": 2,
    "interfaces": ["lo"],
    "writable": [],
    "executes_in_tmp": False,
    "scratch_mib": 32,
    "descriptors": 256,
    "core_bytes": 0,
    "new_user_namespace": False,
    "io_uring": True,
    "init": "docker-init",
    "environment": ["HOME", "HOSTNAME", "OMP_NUM_THREADS", "PATH", "PYTHON_VERSION"],
    "of_the_verifier": [],
    "torch": "2.13.0",
    "cpus": 1.0,
    "processes": 64,
    "memory_ends_it": True,
}
BAD = [
    ("network", {"interfaces": ["eth0", "lo"]}),
    ("network", {"interfaces": []}),
    ("read-only", {"writable": ["/etc"]}),
    ("user", {"uid": 0}),
    ("user", {"groups": [0, 10001]}),
    ("capabilities", {"capabilities": ["0000000000000000", "00000000a80425fb"]}),
    ("no new privileges", {"no_new_privileges": 0}),
    ("seccomp", {"seccomp_mode": 0}),
    ("processes", {"processes": 65}),
    ("processes", {"processes": -1}),
    ("memory", {"memory_ends_it": False}),
    ("cpu", {"cpus": 1.9}),
    ("scratch", {"scratch_mib": 48}),
    ("no programs in /tmp", {"executes_in_tmp": True}),
    ("descriptors", {"descriptors": 1048576}),
    ("core files", {"core_bytes": -1}),
    ("init", {"init": "python"}),
    ("user namespaces", {"new_user_namespace": True}),
    ("environment", {"environment": ["PATH", "HTTP_PROXY"]}),
    ("files of the grader", {"of_the_verifier": ["/opt/worker/reference"]}),
    ("torch in the image", {"torch": ""}),
]


def test_facts_as_they_should_be_give_no_objection():
    assert [finding.name for finding in judge(GOOD, LIMITS) if finding.holds is False] == []


@pytest.mark.parametrize(("name", "change"), BAD)
def test_each_fact_that_is_wrong_gives_one_objection(name, change):
    assert [finding.name for finding in judge({**GOOD, **change}, LIMITS) if finding.holds is False] == [name]


def test_every_finding_that_can_hold_is_seen_to_fail():
    judged = {finding.name for finding in judge(GOOD, LIMITS) if finding.holds is not None}

    assert judged == {name for name, _ in BAD}


@pytest.fixture
def without_engine(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")


def test_a_machine_without_an_engine_is_no_fault(without_engine, tmp_path):
    stream = io.StringIO()

    code = doctor.run(None, tmp_path / "found.json", Console(file=stream, width=200))

    found = json.loads((tmp_path / "found.json").read_text())
    assert code == 0
    assert found["container"] == []
    assert "no container engine answers" in found["engine"][0]["found"]
    for row in found["machine"]:
        assert row["name"] in stream.getvalue()


def test_findings_that_cannot_be_written_are_wrong_usage(without_engine, tmp_path):
    with pytest.raises(UsageError, match="no-folder"):
        doctor.run(None, tmp_path / "no-folder" / "found.json", Console(file=io.StringIO()))


def test_a_limit_that_does_not_hold_ends_the_command_with_one(monkeypatch):
    broken = judge({**GOOD, "interfaces": ["eth0", "lo"]}, LIMITS)
    monkeypatch.setattr("grader.doctor.engine.findings", lambda limits: ([], broken))
    stream = io.StringIO()

    code = doctor.run(None, None, Console(file=stream, width=200))

    assert code == 1
    assert "eth0, lo" in stream.getvalue()
    assert "NO" in stream.getvalue()


@pytest.mark.docker
def test_on_an_engine_every_limit_holds(client, tmp_path):
    code = doctor.run(None, tmp_path / "found.json", Console(file=io.StringIO(), width=200))

    found = json.loads((tmp_path / "found.json").read_text())
    assert [row for row in found["container"] if row["holds"] is False] == []
    assert {row["name"] for row in found["container"]} == {finding.name for finding in judge(GOOD, LIMITS)}
    assert code == 0


def test_a_row_is_its_name_what_was_wanted_and_what_was_found():
    row = dataclasses.asdict(judge(GOOD, LIMITS)[0])

    assert row == {"name": "network", "wanted": "lo alone", "found": "lo", "holds": True}
