"""Trouble with the engine is nobody's zero: it is RunnerUnavailable, and ``grader check`` ends with 3."""

from __future__ import annotations

import threading

import pytest
from command_line import Checked
from engine_proxy import EngineProxy
from worker_probe import call

from grader.errors import RunnerUnavailable, UsageError
from grader.runners.base import Limits
from grader.runners.docker import engine, image
from grader.runners.docker.options import ContainerLimits
from grader.runners.docker.runner import DockerRunner

FILES = {"assignment1/norm.py": "import time\ndef same(x): return x\ndef wait():\n    while True: time.sleep(1)\n"}


@pytest.fixture
def started():
    """Starts a worker in a runner that is closed afterwards."""
    runners = []

    def start(*arguments, **options):
        runners.append(DockerRunner(*arguments, **options))
        return runners[-1].start(FILES)

    yield start
    for runner in runners:
        runner.close()


@pytest.fixture
def proxy(client, tmp_path):
    import docker.utils

    address = docker.utils.parse_host(docker.utils.kwargs_from_env().get("base_url"))
    if not address.startswith("http+unix://"):
        pytest.skip("the engine is not behind a local socket")
    proxy = EngineProxy(tmp_path, address.removeprefix("http+unix://"))
    yield proxy
    proxy.stop()


def test_no_engine_is_our_trouble(started, tmp_path):
    with pytest.raises(RunnerUnavailable, match=r"no container engine answers: .*No such file"):
        started(host=f"unix://{tmp_path}/nothing.sock")


def test_something_else_behind_the_socket_is_our_trouble(started, tmp_path):
    silent = EngineProxy(tmp_path, "/nowhere")

    with pytest.raises(RunnerUnavailable, match="no container engine answers"):
        started(host=silent.address)
    silent.stop()


def test_without_the_sdk_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(UsageError, match=r"pip install 'assignment1-grader\[docker\]'"):
        engine.connect()


def test_no_engine_ends_the_command_with_three_and_no_score(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")

    checked = Checked(runner="docker", json=tmp_path / "report.json")

    assert checked.code == 3
    assert "no container engine answers" in checked.output
    assert '"score": null' in (tmp_path / "report.json").read_text()


@pytest.mark.docker
def test_the_command_grades_in_a_container_and_says_so(client, tmp_path):
    checked = Checked(runner="docker", json=tmp_path / "report.json")
    report = (tmp_path / "report.json").read_text()

    assert checked.code == 0
    assert '"runner": "docker"' in report
    assert '"trusted": true' in report


@pytest.mark.docker
def test_a_missing_image_is_our_trouble_and_names_the_command(client, started):
    with pytest.raises(RunnerUnavailable, match="there is no image nobody/has:this: run `grader image build`"):
        started(container=ContainerLimits(image="nobody/has:this"))


@pytest.mark.docker
def test_an_image_of_another_version_is_not_used(client, started, monkeypatch):
    name = image.default_name()
    monkeypatch.setattr(image, "worker_digest", lambda: "0" * 64)

    with pytest.raises(RunnerUnavailable, match="is of another version of the grader: run `grader image build`"):
        started()
    with pytest.raises(RunnerUnavailable, match="does not hold this version of the worker: run `grader image build`"):
        started(container=ContainerLimits(image=name))


@pytest.mark.docker
def test_a_runtime_that_the_engine_does_not_have_is_our_trouble(client, started):
    with pytest.raises(RunnerUnavailable, match="no-such-runtime"):
        started(container=ContainerLimits(runtime="no-such-runtime"))


@pytest.mark.docker
def test_a_container_that_cannot_run_python_says_why(client, started, monkeypatch):
    monkeypatch.setattr("grader.runners.docker.container.PYTHON", "/no/such/python")

    with pytest.raises(RunnerUnavailable, match="/no/such/python"):
        started()


@pytest.mark.docker
def test_a_container_that_ends_before_it_is_up_says_its_last_words(client, started):
    too_little_for_torch = ContainerLimits(memory=8)

    with pytest.raises(RunnerUnavailable, match=r"the worker's container did not start|the engine did not start"):
        started(container=too_little_for_torch)


@pytest.mark.docker
def test_an_engine_that_stops_during_a_call_is_our_trouble(proxy, started):
    worker = started(Limits(call=30), host=proxy.address)
    assert call(worker, "same", 1) == 1
    threading.Timer(0.3, proxy.stop).start()

    with pytest.raises(RunnerUnavailable, match="is gone"):
        call(worker, "wait", seconds=20)


@pytest.mark.docker
def test_an_engine_that_stopped_between_calls_is_our_trouble(proxy, started):
    worker = started(host=proxy.address)
    proxy.stop()

    with pytest.raises(RunnerUnavailable, match="is gone"):
        call(worker, "same", 1)
