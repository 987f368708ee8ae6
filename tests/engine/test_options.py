"""A course's settings as a container's options. Needs no engine."""

from __future__ import annotations

import pytest

from grader import settings as course
from grader.catalogue import all_checks
from grader.runners.docker import sweep
from grader.runners.docker.options import ContainerLimits, create_options


def test_settings_reach_the_container():
    section = course.DockerSection(
        memory_mib=512,
        processes=32,
        cpus=0.5,
        scratch_mib=8,
        runtime="runsc",
        image="course/worker:1",
        gpu_memory_mib=4096,
    )

    limits = section.for_runner()
    options = create_options(limits)

    assert limits == ContainerLimits(512, 32, 0.5, 8, "runsc", "course/worker:1", 4096)
    assert (options["mem_limit"], options["memswap_limit"]) == ("512m", "512m")
    assert (options["pids_limit"], options["nano_cpus"], options["runtime"]) == (32, 500_000_000, "runsc")
    assert "size=8m" in options["tmpfs"]["/tmp"]


def test_without_a_runtime_the_engine_chooses():
    assert "runtime" not in create_options(ContainerLimits())


def test_no_folder_of_the_host_is_in_a_container():
    assert not {"volumes", "mounts", "volumes_from", "devices"} & set(create_options(ContainerLimits()))


def test_a_container_has_the_one_gpu_that_it_is_given_and_the_memory_that_cuda_needs():
    limits = ContainerLimits(memory=512, gpu_memory=9000)
    plain = create_options(limits)
    options = create_options(limits, {"CUDA_VISIBLE_DEVICES": "0"}, gpu="3")

    (request,) = options.pop("device_requests")
    assert request["device_ids"] == ["3"]
    assert "gpu" in request["capabilities"][0]
    assert (options["mem_limit"], options["memswap_limit"]) == ("9000m", "9000m")
    assert options["environment"]["CUDA_VISIBLE_DEVICES"] == "0"
    assert "device_requests" not in plain
    same = set(plain) - {"mem_limit", "memswap_limit", "environment"}
    assert {name: options[name] for name in same} == {name: plain[name] for name in same}  # no limit is given up


def test_the_engines_sdk_takes_the_request():
    types = pytest.importorskip("docker.types")
    requests = create_options(ContainerLimits(), gpu="GPU-aaa")["device_requests"]

    config = types.HostConfig(version="1.44", device_requests=requests)

    assert config["DeviceRequests"][0]["DeviceIDs"] == ["GPU-aaa"]


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
