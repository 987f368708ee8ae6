"""Each limit of a container is probed, and each probe turns red when its limit is left out."""

from __future__ import annotations

import pytest

from grader.doctor.container import probe
from grader.doctor.limits import judge
from grader.runners.docker import image
from grader.runners.docker.options import ContainerLimits, create_options

pytestmark = pytest.mark.docker

LIMITS = ContainerLimits(memory=512, processes=48, cpus=0.5, scratch=16)
OPTIONS = create_options(LIMITS)
WITHOUT = {
    "network": {"network_mode": None},
    "read-only": {"read_only": False},
    "user": {"user": "0:0"},
    "capabilities": {"cap_drop": []},
    "no new privileges": {"security_opt": []},
    "processes": {"pids_limit": None},
    "memory": {"mem_limit": None, "memswap_limit": None},
    "scratch": {"tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,mode=1777"}},
    "no programs in /tmp": {"tmpfs": {"/tmp": "rw,exec,nosuid,nodev,size=16m,mode=1777"}},
    "descriptors": {"ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}]},
    "init": {"init": False},
    "environment": {"environment": {"HOME": "/tmp", "HTTP_PROXY": "http://user:password@localhost"}},
    "seccomp": {"security_opt": ["no-new-privileges", "seccomp=unconfined"]},
}


def verdicts(client, options) -> dict[str, bool | None]:
    facts = probe(client, image.find(client), options, LIMITS)
    return {finding.name: finding.holds for finding in judge(facts, LIMITS)}


def test_every_limit_holds(client):
    found = verdicts(client, OPTIONS)

    assert [name for name, holds in found.items() if holds is False] == []
    assert set(WITHOUT) <= set(found)


@pytest.mark.parametrize("limit", WITHOUT)
def test_a_limit_that_is_left_out_is_noticed(client, limit):
    options = {**OPTIONS, **WITHOUT[limit]}
    options = {name: value for name, value in options.items() if value is not None}

    assert verdicts(client, options)[limit] is False


def test_shared_memory_that_is_left_on_is_noticed_as_a_place_to_write(client):
    options = {name: value for name, value in OPTIONS.items() if name != "ipc_mode"}

    assert verdicts(client, options)["read-only"] is False
