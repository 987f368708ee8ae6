"""``grader doctor`` on a machine with a GPU, which here is pretended."""

from __future__ import annotations

import pytest
from gpu_pretended import PretendedGpuRunner

from grader.doctor import gpu
from grader.doctor.limits import Finding
from grader.runners.gpus import Gpu
from grader.runners.local import LocalRunner


def test_a_machine_without_a_gpu_says_what_that_means(monkeypatch):
    monkeypatch.setattr(gpu, "visible", list)

    (found,) = gpu.findings(None)

    assert (found.name, found.holds) == ("gpu", None)
    assert "skipped" in found.found


def test_each_gpu_is_listed_with_what_the_driver_says(monkeypatch):
    there = [Gpu("0", "NVIDIA H200", 143771, "570.1"), Gpu("1")]
    monkeypatch.setattr(gpu, "visible", lambda: there)
    monkeypatch.setattr(gpu, "_worker_on", lambda first, make: Finding("worker", "", first.id))

    first, second, worker = gpu.findings(None)

    assert first.found == "NVIDIA H200, 143771 MiB, driver 570.1"
    assert (first.name, second.name) == ("gpu cuda:0", "gpu cuda:1")
    assert "says nothing" in second.found
    assert worker.found == "0"


@pytest.mark.parametrize(
    ("kind", "holds"), [(PretendedGpuRunner, True), (lambda: LocalRunner(sandbox=False), False)], ids=["gpu", "none"]
)
def test_a_worker_is_tried(kind, holds):
    found = gpu.computes(kind())

    assert found.holds is holds
    assert found.found.startswith("computes") is holds


def test_a_pytorch_for_the_cpu_alone_does_not_hold(monkeypatch):
    monkeypatch.setattr(gpu, "visible", lambda: [Gpu("0")])
    monkeypatch.setattr("grader.runners.gpus.metadata.version", lambda name: "2.13.0+cpu")

    found = gpu.findings(None)[-1]

    assert found.holds is False
    assert "CPU alone" in found.found
