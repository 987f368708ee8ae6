"""What every runner must do with a submission that answers: right values, whose fault it is, nothing leaks in.

How a worker that does not answer is told apart: test_runner_endings.py.
"""

from __future__ import annotations

import textwrap

import pytest
import torch
from worker_probe import MODULE, call, error_of, prints

from grader.runners.base import Worker
from grader.wire import tensors
from grader.wire.codec import Handle

NORM = """
    import os, sys
    import torch
    from torch import nn

    calls = 0

    def same(x):
        return x

    def layout_of(x):
        return [*x.shape, *x.stride(), x.storage_offset()]

    def count():
        global calls
        calls += 1
        return calls

    def divide(a, b):
        return a / b

    def leave():
        sys.exit(0)

    def interrupt():
        raise KeyboardInterrupt

    def talk(x):
        print("4 passed in 0.01s")
        print('{"score": 100}', file=sys.stderr)
        os.write(1, b"to descriptor 1\\n")
        sys.__stdout__.write("to the first stdout\\n")
        return x

    def listen():
        return input()

    def environment():
        with open("/proc/self/environ", "rb") as file:
            started_with = file.read().decode()
        return [", ".join(os.environ), ", ".join(os.environ.values()) + started_with]

    def imported():
        import json, random, struct, traceback
        import helper
        mine = [name for name, module in sys.modules.items() if getattr(module, "__file__", "") == f"{name}.py"]
        return [json.loads("1"), torch.ones(2).sum().item(), struct.calcsize("<q"), ", ".join(mine)]

    def load(module):
        return __import__(module).__name__

    def loaded():
        return ", ".join(name for name in sys.modules if name.split(".")[0] in ("grader", "reference", "pytest"))

    class Scale(nn.Module):
        def __init__(self, dim, factor=1.0):
            super().__init__()
            self.weight = nn.Parameter(torch.full((dim,), float(factor)))

        def forward(self, x):
            return x * self.weight
"""

SHADOWS = ("json", "random", "struct", "torch", "traceback", "sitecustomize", "grader")

FILES = {
    "assignment1/__init__.py": "",
    "assignment1/norm.py": textwrap.dedent(NORM),
    "assignment1/broken.py": "import torch\n\nwidth = 1\nratio = width / 0\n",
    "assignment1/unfinished.py": "width = 1\ndef f(:\n    pass\n",
    "assignment1/needs.py": "import a_package_that_nobody_has\n",
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


def failed_import(worker: Worker, module: str) -> dict:
    answer = worker.ask({"op": "import", "module": f"assignment1.{module}", "check": "a check"}, seconds=30)
    return answer["error"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.bool])
@pytest.mark.parametrize("shape", [(2, 3, 4), (), (0, 3)])
def test_a_tensor_comes_back_with_its_dtype_shape_and_values(worker, dtype, shape):
    sent = torch.randint(0, 2, shape).to(dtype)

    received = tensors.from_raw(call(worker, "same", tensors.to_raw(sent)))

    assert received.dtype == sent.dtype
    assert received.shape == sent.shape
    assert torch.equal(received, sent)


def test_a_view_arrives_as_a_view(worker):
    view = torch.arange(60.0).reshape(3, 4, 5)[1:, ::2].transpose(0, 1)

    layout = call(worker, "layout_of", tensors.to_raw(view, keep_strides=True))

    assert layout == [*view.shape, *view.stride(), view.storage_offset()]


def test_tensors_larger_than_a_pipe_travel_both_ways(worker):
    sent = torch.rand(1 << 21)

    received = tensors.from_raw(call(worker, "same", tensors.to_raw(sent)))

    assert torch.equal(received, sent)


def test_modules_live_in_the_worker_until_the_next_check(worker):
    module = call(worker, "Scale", 3, 2.0, construct=True)
    x = tensors.to_raw(torch.ones(3))

    result = tensors.from_raw(call(worker, module, x))
    forgotten = error_of(worker, module, x, check="another check")

    assert isinstance(module, Handle)
    assert torch.equal(result, torch.full((3,), 2.0))
    assert forgotten["type"] == "KeyError"


def test_an_exception_is_the_student_s_and_shows_only_their_frames(worker):
    error = error_of(worker, "divide", 1, 0)

    assert (error["kind"], error["type"]) == ("raised", "ZeroDivisionError")
    assert [(frame["file"], frame["function"], frame["text"]) for frame in error["frames"]] == [
        ("assignment1/norm.py", "divide", "return a / b")
    ]


def test_an_exception_at_import_names_file_and_line(worker):
    error = failed_import(worker, "broken")

    assert (error["kind"], error["type"]) == ("import", "ZeroDivisionError")
    assert [(frame["file"], frame["line"]) for frame in error["frames"]] == [("assignment1/broken.py", 4)]


def test_a_syntax_error_names_file_and_line(worker):
    error = failed_import(worker, "unfinished")

    assert (error["kind"], error["file"], error["line"]) == ("syntax", "assignment1/unfinished.py", 2)


def test_a_missing_module_is_not_confused_with_a_missing_dependency(worker):
    missing, needing = failed_import(worker, "absent"), failed_import(worker, "needs")

    assert (missing["kind"], missing["module"]) == ("missing-module", "assignment1.absent")
    assert (needing["kind"], needing["type"]) == ("import", "ModuleNotFoundError")
    assert "a_package_that_nobody_has" in needing["message"]


def test_a_missing_name_comes_with_the_names_that_are_there(worker):
    error = error_of(worker, "Scales", 3)

    assert (error["kind"], error["module"], error["name"]) == ("missing-name", MODULE, "Scales")
    assert "Scale" in error["names"]


def test_wrong_arguments_are_seen_before_the_function_runs(worker):
    before = call(worker, "count")

    error = error_of(worker, "count", 1)

    assert (error["kind"], error["signature"]) == ("arguments", "()")
    assert call(worker, "count") == before + 1


@pytest.mark.parametrize(("name", "raised"), [("leave", "SystemExit"), ("interrupt", "KeyboardInterrupt")])
def test_leaving_by_an_exception_does_not_end_the_worker(worker, name, raised):
    assert error_of(worker, name)["type"] == raised


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
    assert call(worker, "imported") == [1, 2.0, 8, "helper"]


def test_an_installed_copy_of_the_package_is_not_graded(runner, tmp_path):
    installed = tmp_path / "assignment1"
    installed.mkdir()
    for name in ("__init__", "norm", "rope"):
        (installed / f"{name}.py").write_text("def same(x): return 'installed'\n")
    makes_it_importable = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\ndef same(x): return 'handed in'\n"
    worker = runner.start({"assignment1/norm.py": makes_it_importable})

    result, other = call(worker, "same", 1), failed_import(worker, "rope")
    worker.close()

    assert result == "handed in"
    assert other["kind"] == "missing-module"


def test_two_workers_share_nothing(runner):
    first, second = runner.start(FILES), runner.start(FILES)

    counts = [call(first, "count"), call(first, "count"), call(second, "count")]
    first.close()
    counts.append(call(second, "count"))
    second.close()

    assert counts == [1, 2, 1, 2]


def test_a_submission_that_cannot_be_imported_does_not_keep_the_worker_from_starting(runner):
    worker = runner.start({"assignment1/__init__.py": "raise SystemExit(3)\n", "assignment1/norm.py": ""})

    error = failed_import(worker, "norm")
    worker.close()

    assert (error["kind"], error["type"]) == ("import", "SystemExit")
