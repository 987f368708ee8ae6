"""What student code in a runner's process can and cannot reach."""

from __future__ import annotations

import textwrap

import pytest
from worker_probe import call, error_of, prints

from grader.runners.base import Worker

NORM = """
    import os, sys
    import torch

    def same(x):
        return x

    def talk(x):
        print("4 passed in 0.01s")
        print('{"score": 100}', file=sys.stderr)
        os.write(1, b"to descriptor 1\\n")
        sys.__stdout__.write("to the first stdout\\n")
        return x

    def listen():
        return input()

    def environment():
        started_with = ""
        if os.path.exists("/proc/self/environ"):
            with open("/proc/self/environ", "rb") as file:
                started_with = file.read().decode()
        return [", ".join(os.environ), ", ".join(os.environ.values()) + started_with]

    def imported():
        new = [name for name in ("colorsys", "wave") if name not in sys.modules]
        import colorsys, json, random, struct, traceback, wave
        import helper
        mine = [name for name, module in sys.modules.items() if getattr(module, "__file__", "") == f"{name}.py"]
        return [json.loads("1"), torch.ones(2).sum().item(), struct.calcsize("<q"), new, mine]

    def load(module):
        return __import__(module).__name__

    def loaded():
        return ", ".join(name for name in sys.modules if name.split(".")[0] in ("grader", "reference", "pytest"))
"""

SHADOWS = ("colorsys", "json", "random", "struct", "torch", "traceback", "wave", "sitecustomize", "grader")

FILES = {
    "assignment1/norm.py": textwrap.dedent(NORM),
    "helper.py": "NAME = 'the helper'\n",
    **{f"{name}.py": "raise SystemExit(0)\n" for name in SHADOWS},
}


@pytest.fixture(scope="module")
def one_worker(runner):
    worker = runner.start(FILES)
    yield worker
    worker.close()


@pytest.fixture
def worker(one_worker: Worker):
    """The same worker for all tests here, each of which must leave it alive."""
    yield one_worker
    assert call(one_worker, "same", "still there") == "still there"


def test_printing_disturbs_nothing_and_is_kept(worker):
    assert call(worker, "talk", 5) == 5
    for line in ("4 passed in 0.01s", '{"score": 100}', "to descriptor 1", "to the first stdout"):
        assert prints(worker, line)


def test_input_does_not_eat_a_request(worker):
    assert error_of(worker, "listen")["type"] == "EOFError"
    assert call(worker, "same", 1) == 1


def test_the_environment_holds_no_secrets(worker):
    names, values = call(worker, "environment")

    assert "PATH" in names
    assert "COURSE_TOKEN" not in names
    assert "do-not-pass-on" not in values


def test_nothing_of_the_verifier_is_in_the_process(worker):
    loaded = call(worker, "loaded").split(", ")

    assert loaded
    assert [
        name for name in loaded if name.split(".")[:2] not in (["grader"], ["grader", "wire"], ["grader", "worker"])
    ] == []


@pytest.mark.parametrize("module", ["reference", "reference.rope", "grader.oracle.live", "grader.checks.check_rope"])
def test_a_solution_that_is_installed_cannot_be_imported(worker, module):
    error = error_of(worker, "load", module)

    assert error["type"] == "ModuleNotFoundError"


def test_a_helper_may_be_called_reference(runner):
    worker = runner.start(
        {"assignment1/norm.py": "from reference import same\n", "reference.py": "def same(x): return x"}
    )

    result = call(worker, "same", 7)
    worker.close()

    assert result == 7


def test_a_student_s_file_shadows_neither_the_library_nor_torch_nor_the_grader(worker):
    first_imported_here = ["colorsys", "wave"]

    assert call(worker, "imported") == [1, 2.0, 8, first_imported_here, ["helper"]]


def test_an_installed_copy_of_the_package_is_not_graded(runner, tmp_path):
    installed = tmp_path / "assignment1"
    installed.mkdir()
    for name in ("__init__", "norm", "rope"):
        (installed / f"{name}.py").write_text("def same(x): return 'installed'\n")
    makes_it_importable = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
    functions = "def same(x): return 'handed in'\ndef load(module): __import__(module)\n"
    worker = runner.start({"assignment1/norm.py": makes_it_importable + functions})

    result, other = call(worker, "same", 1), error_of(worker, "load", "assignment1.rope")
    worker.close()

    assert result == "handed in"
    assert other["type"] == "ModuleNotFoundError"
