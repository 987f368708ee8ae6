"""Which GPUs there are, and who holds one: told by a driver that is made up."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from worker_probe import call

from grader.errors import GraderError
from grader.runners import bubblewrap, gpus, leased
from grader.runners.base import Limits
from grader.runners.gpus import Gpu, Lease
from grader.runners.kept import KeptRunner
from grader.runners.leased import LeasedRunner
from grader.runners.local import LocalRunner
from grader.worker.defences import readable

TWO = "0, GPU-aaa, NVIDIA H200, 143771, 570.1\n1, GPU-bbb, NVIDIA H200, 143771, 570.1\n"
ENVIRONMENT = "import os\ndef variable(name):\n    return os.environ.get(name)\n"


@pytest.fixture
def two_gpus(tmp_path, monkeypatch):
    """A driver's program that knows two GPUs; no variable restricts them."""
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{TWO}'\n".replace("\n'", "\\n'").replace("570.1\n", "570.1\\n"), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.fixture
def lease(two_gpus, tmp_path):
    """A function: a lease whose lock lies in a folder of the test's; all are given back in the end."""
    folder = tmp_path / "locks"
    folder.mkdir()
    taken = []

    def take(number=None, patience=0.0):
        taken.append(Lease(number, patience=patience, folder=folder))
        return taken[-1]

    yield take
    for one in taken:
        one.end()


# -- which there are -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({}, ["0", "1"]),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
        ({"CUDA_VISIBLE_DEVICES": "1"}, ["1"]),
        ({"CUDA_VISIBLE_DEVICES": "1,0"}, ["1", "0"]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-bbb"}, ["GPU-bbb"]),
        ({"CUDA_VISIBLE_DEVICES": "0,7,1"}, ["0"]),
        ({"CUDA_VISIBLE_DEVICES": "MIG-1/2"}, ["MIG-1/2"]),
    ],
)
@pytest.mark.usefixtures("two_gpus")
def test_those_are_visible_that_the_scheduler_gave_in_its_order(given, ids):
    assert [gpu.id for gpu in gpus.visible(given)] == ids


@pytest.mark.usefixtures("two_gpus")
def test_a_gpu_says_what_it_is():
    assert gpus.visible()[1] == Gpu("1", "NVIDIA H200", 143771, "570.1")


def test_a_machine_without_the_driver_has_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(gpus, "_device_files", list)

    assert gpus.visible({}) == gpus.visible({"CUDA_VISIBLE_DEVICES": "0"}) == []
    with pytest.raises(GraderError, match=r"no GPU can be used here, and --device asks for cuda$"):
        gpus.needed(["cuda"])


def test_a_driver_that_fails_has_none(two_gpus, tmp_path):
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n", "utf-8")

    assert gpus.visible() == []


@pytest.mark.usefixtures("two_gpus")
def test_a_number_that_no_gpu_has_is_named():
    gpus.needed([])
    gpus.needed(["cuda:1"])
    with pytest.raises(GraderError, match=r"no cuda:2 here.*there are 2"):
        gpus.needed(["cuda:2"])


@pytest.mark.parametrize(("version", "refused"), [("2.13.0+cpu", True), ("2.13.0", False), ("2.13.0+cu130", False)])
def test_a_pytorch_for_the_cpu_alone_is_refused(version, refused, monkeypatch):
    monkeypatch.setattr(gpus.metadata, "version", lambda name: version)
    said = ""
    try:
        gpus.torch_needed()
    except GraderError as error:
        said = str(error)

    assert bool(said) == refused
    assert (version in said) == refused


# -- who holds one -------------------------------------------------------------------------------------------------


def test_the_first_free_one_is_taken_and_then_the_next(lease):
    first, second = lease(), lease()

    assert [first.gpu.id, second.gpu.id] == ["0", "1"]
    with pytest.raises(GraderError, match="no GPU became free"):
        lease()
    first.end()
    assert lease().gpu.id == "0"


def test_one_with_a_number_is_that_one_or_none(lease):
    assert lease(1).gpu.id == "1"
    with pytest.raises(GraderError, match="no GPU became free"):
        lease(1)
    assert lease().gpu.id == "0"
    with pytest.raises(GraderError, match="no cuda:2 here"):
        lease(2)


def test_another_process_holds_one_until_it_ends(lease, tmp_path):
    code = (
        "import sys; from pathlib import Path; from grader.runners.gpus import Lease\n"
        f"held = Lease(0, patience=0, folder=Path({str(tmp_path / 'locks')!r}))\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(GraderError, match="no GPU became free"):
            lease(0)
    finally:
        other.kill()  # it says nothing to anybody
        other.communicate()

    assert lease(0, patience=60.0).gpu.id == "0"


# -- runners -------------------------------------------------------------------------------------------------------


class Recorded:
    """A runner that notes what it is told."""

    name, trusted, isolation, limits = "local", False, "plain", Limits()

    def __init__(self, gpu, told):
        self.gpu, self.told = gpu, told

    def prepare(self):
        self.told.append(f"prepare {self.gpu.id}")

    def start(self, files):
        self.told.append(f"start {self.gpu.id}")
        return "a worker"

    def close(self):
        self.told.append(f"close {self.gpu.id}")


def test_a_gpu_is_held_for_a_round_and_what_was_warmed_up_for_it_stays(lease):
    told = []
    runner = KeptRunner(LeasedRunner(None, lambda gpu: Recorded(gpu, told), lease))

    runner.prepare()
    assert told == []  # nothing is held before a round
    runner.take()
    assert runner.start({}) == "a worker"
    with pytest.raises(GraderError, match="no GPU became free"):
        lease(0)
    runner.close()
    assert told == ["prepare 0", "start 0", "prepare 0"]
    held = lease(0)
    runner.take()
    runner.start({})
    assert told[3:5] == ["prepare 1", "start 1"]  # another one was free
    runner.end()
    held.end()
    assert sorted(told[-2:]) == ["close 0", "close 1"]
    assert [lease().gpu.id for _ in range(2)] == ["0", "1"]


def test_a_worker_sees_the_gpu_that_it_was_given_and_no_other(submission_with):
    seen = {}
    for name, environment in (("cpu", {}), ("gpu", leased.variables(Gpu("GPU-bbb")))):
        runner = LocalRunner(replace(Limits(), memory=0), environment=environment, sandbox=False)
        worker = runner.start(submission_with(norm=ENVIRONMENT).files)
        seen[name] = [call(worker, "variable", one) for one in ("CUDA_VISIBLE_DEVICES", "CUDA_CACHE_DISABLE")]
        worker.close()
        runner.close()

    assert seen == {"cpu": ["", None], "gpu": ["GPU-bbb", "1"]}


def test_a_sandbox_has_the_device_files_only_with_a_gpu(monkeypatch, tmp_path):
    monkeypatch.setattr(bubblewrap, "devices", lambda: [tmp_path / "nvidia0"])
    name = str(tmp_path / "nvidia0")

    assert name not in bubblewrap.inside(["true"])
    command = bubblewrap.inside(["true"], gpu=True)
    at = command.index(name)
    assert command[at - 1 : at + 2] == ["--dev-bind-try", name, name]


def test_what_a_driver_reads_is_readable_only_with_a_gpu(monkeypatch):
    monkeypatch.setattr(readable, "_GPU", ("/proc/devices",))

    assert "/proc/devices" not in map(str, readable.readable())
    assert "/proc/devices" in map(str, readable.readable(gpu=True))
