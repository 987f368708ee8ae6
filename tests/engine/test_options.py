"""A course's settings as a container's options. Needs no engine."""

from __future__ import annotations

import pytest

from grader import settings as course
from grader.catalogue import all_checks
from grader.runners.docker import sweep
from grader.runners.docker.options import ContainerLimits, create_options


def test_settings_reach_the_container():
    section = course.DockerSection(
        memory_mib=512, processes=32, cpus=0.5, scratch_mib=8, runtime="runsc", image="course/worker:1"
    )

    limits = section.for_runner()
    options = create_options(limits)

    assert limits == ContainerLimits(512, 32, 0.5, 8, "runsc", "course/worker:1")
    assert (options["mem_limit"], options["memswap_limit"]) == ("512m", "512m")
    assert (options["pids_limit"], options["nano_cpus"], options["runtime"]) == (32, 500_000_000, "runsc")
    assert "size=8m" in options["tmpfs"]["/tmp"]


def test_without_a_runtime_the_engine_chooses():
    assert "runtime" not in create_options(ContainerLimits())


def test_no_folder_of_the_host_is_in_a_container():
    assert not {"volumes", "mounts", "volumes_from", "devices"} & set(create_options(ContainerLimits()))


def test_the_shipped_settings_are_the_defaults():
    assert course.load(None, all_checks()).docker == course.DockerSection()
    assert course.DockerSection().for_runner() == ContainerLimits()


@pytest.mark.parametrize(
    ("changes", "abandoned"),
    [
        ({}, False),
        ({"pid": "0"}, True),
        ({"started": "1"}, True),
        ({"host": "another", "started": "1"}, False),
        ({"host": "another", "expires": "1"}, True),
        ({"expires": "1"}, True),
    ],
)
def test_a_container_is_abandoned_when_its_process_is_gone_or_its_time_is_over(changes, abandoned):
    labels = {**sweep.labels(lifetime=60), **{f"assignment1-grader.{name}": value for name, value in changes.items()}}

    assert sweep.is_abandoned(labels) is abandoned
