"""What every runner must do with a submission that answers: right values, and whose fault it is.

What student code can and cannot reach: test_runner_isolation.py. How a worker that does not answer is told apart:
test_runner_endings.py.
"""

from __future__ import annotations

import textwrap

import pytest
import torch
from worker_probe import MODULE, call, error_of

from grader.runners.base import Worker
from grader.wire import tensors
from grader.wire.codec import Handle

NORM = """
    import sys
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

    class Scale(nn.Module):
        def __init__(self, dim, factor=1.0):
            super().__init__()
            self.weight = nn.Parameter(torch.full((dim,), float(factor)))

        def forward(self, x):
            return x * self.weight
"""

FILES = {
    "assignment1/__init__.py": "",
    "assignment1/norm.py": textwrap.dedent(NORM),
    "assignment1/broken.py": "import torch\n\nwidth = 1\nratio = width / 0\n",
    "assignment1/unfinished.py": "width = 1\ndef f(:\n    pass\n",
    "assignment1/needs.py": "import a_package_that_nobody_has\n",
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
