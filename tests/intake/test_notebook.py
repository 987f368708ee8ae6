"""A notebook as a submission: what its cells define is graded, and tracebacks name cell and line."""

from __future__ import annotations

import json
import sys

import notebooks
import pytest
from bank_loader import base

from grader.contract import MODULES
from grader.errors import Outcome, SubmissionError, UsageError
from grader.intake.read import read
from grader.session import grade

ROPE = "def apply_rope(x, positions, base=10000.0):\n    return x\n"
ORDER = ("norm", "rope", "kv_cache", "ffn", "attention", "block")


def refusal(path) -> str:
    with pytest.raises(SubmissionError) as caught:
        read(path)
    return str(caught.value)


@pytest.fixture
def graded(warm_runner, settings):
    def run(path, *checks):
        report = grade(read(path), warm_runner, settings, seed=5, selected=[*checks])
        assert report.graded, report.error
        return {check.id: check for check in report.checks}

    return run


def without_own_imports(text: str) -> str:
    return "\n".join("" if line.startswith(("from .", "from assignment1")) else line for line in text.splitlines())


# -- grading -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [notebooks.write, notebooks.write_v3])
def test_the_base_submission_as_a_notebook_earns_its_points(tmp_path, graded, write):
    cells = [without_own_imports(base().files[f"assignment1/{module}.py"]) for module in ORDER]
    path = write(
        tmp_path / "hw.ipynb", "%matplotlib inline\nimport nowhere", *cells, "model = nowhere.load()\nmodel.train()"
    )
    checks = [
        "norm.rmsnorm-values",
        "rope.base",
        "cache.append-order",
        "gqa.parameters",
        "ffn.hidden-dim",
        "block.values",
    ]

    results = graded(path, *checks)

    assert {check: result.outcome for check, result in results.items()} == dict.fromkeys(checks, Outcome.PASS)


def test_a_traceback_names_the_cell_and_the_line_in_it(tmp_path, graded):
    path = notebooks.write(
        tmp_path / "hw.ipynb",
        "import math",
        "print('start')\n\ndef third(x):\n    return {}[x]\n",
        "!ls\ndef swiglu_hidden_dim(dim, multiple_of=1):\n\n    return third(dim)\n",
    )

    finding = graded(path, "ffn.hidden-dim")["ffn.hidden-dim"].finding

    assert [(frame.file, frame.line, frame.function, frame.text) for frame in finding.frames] == [
        ("assignment1/hw/cell_3.py", 4, "swiglu_hidden_dim", "return third(dim)"),
        ("assignment1/hw/cell_2.py", 4, "third", "return {}[x]"),
    ]


def test_an_error_while_the_cells_run_names_the_cell_and_the_line_in_it(tmp_path, graded):
    path = notebooks.write(
        tmp_path / "hw.ipynb", "x = 1", "print(x)\nRATIO = 1 / 0\ndef swiglu_hidden_dim(d): return RATIO"
    )

    frame = graded(path, "ffn.hidden-dim")["ffn.hidden-dim"].finding.frames[-1]

    assert (frame.file, frame.line, frame.text) == ("assignment1/hw/cell_2.py", 2, "RATIO = 1 / 0")


def test_the_last_definition_wins_and_earlier_functions_see_it(tmp_path, graded):
    right = base().files["assignment1/ffn.py"]
    path = notebooks.write(
        tmp_path / "hw.ipynb",
        right.replace("def swiglu_hidden_dim", "def right"),
        "def inner(dim, multiple_of): raise OSError",
        "def swiglu_hidden_dim(dim, multiple_of=1): return inner(dim, multiple_of)",
        "def inner(dim, multiple_of): return right(dim, multiple_of)",
    )

    assert graded(path, "ffn.hidden-dim")["ffn.hidden-dim"].outcome is Outcome.PASS


def test_postponed_annotations_hold_for_later_cells_as_in_a_notebook(tmp_path, graded):
    path = notebooks.write(
        tmp_path / "hw.ipynb",
        "from __future__ import annotations",
        base().files["assignment1/ffn.py"].replace("from __future__ import annotations\n", ""),
        "class SwiGLU(SwiGLU):\n    def unused(self, x: Nowhere) -> Nowhere: ...",
    )

    assert graded(path, "ffn.swiglu-values")["ffn.swiglu-values"].outcome is Outcome.PASS


# -- files -------------------------------------------------------------------------------------------------------


def test_cells_are_kept_under_the_notebook_s_name_with_their_number_among_code_cells(tmp_path):
    submission = read(notebooks.write(tmp_path / "hw.ipynb", "print(1)", ROPE, "x = 1"))

    assert submission.name == "hw.ipynb"
    assert submission.files["assignment1/hw/cell_2.py"] == ROPE
    assert set(submission.files) == {
        *("assignment1/hw/__init__.py", "assignment1/hw/cell_2.py"),
        *(f"assignment1/{module}.py" for module in MODULES),
    }


@pytest.mark.parametrize("name", ["rope.ipynb", "my homework.ipynb", "Untitled-1.ipynb"])
def test_a_name_that_no_module_can_have_becomes_notebook(tmp_path, name):
    assert "assignment1/notebook/cell_1.py" in read(notebooks.write(tmp_path / name, ROPE)).files


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("assignment1/rope.py", "assignment1/rope.py"),
        ("./assignment1/parts/deep.py", "assignment1/parts/deep.py"),
        ("/content/work/assignment1/rope.py", "assignment1/rope.py"),
        ("'my work/assignment1/rope.py'", "assignment1/rope.py"),
        ("assignment1\\rope.py", "assignment1/rope.py"),
        ("rope.py", "assignment1/rope.py"),
        ("/content/helper.py", "helper.py"),
    ],
)
@pytest.mark.parametrize("magic", ["%%writefile", "\n%%file"])
def test_a_written_file_is_put_where_it_belongs(tmp_path, given, place, magic):
    path = notebooks.write(tmp_path / "hw.ipynb", f"{magic} {given}\nx = 1\n", "%%writefile assignment1/norm.py\ny = 2")

    assert read(path).files == {place: "x = 1\n", "assignment1/norm.py": "y = 2\n"}


@pytest.mark.parametrize(
    "given",
    [
        "assignment1/../../evil.py",
        "notes.txt",
        "assignment1/.hidden.py",
        "conftest.py",
        "assignment1/a\u202eb.py",
        "a b.py c",
        "'",
    ],
)
def test_a_written_file_that_is_no_module_is_skipped_and_listed(tmp_path, given):
    submission = read(
        notebooks.write(tmp_path / "hw.ipynb", f"%%writefile {given}\nx = 1", "%%writefile rope.py\ny = 2")
    )

    assert submission.files == {"assignment1/rope.py": "y = 2\n"}
    assert submission.skipped == (f"%%writefile {given}",)


def test_a_file_is_written_again_or_appended_to(tmp_path):
    path = notebooks.write(
        tmp_path / "hw.ipynb",
        "%%writefile rope.py\nx = 1",
        "%%writefile rope.py\nx = 2",
        "%%writefile -a rope.py\nx = 3",
        "%%writefile --append rope.py\nx = 4",
    )

    assert read(path).files == {"assignment1/rope.py": "x = 2\nx = 3\nx = 4\n"}


def test_written_modules_stand_beside_what_the_cells_define(tmp_path):
    files = read(
        notebooks.write(tmp_path / "hw.ipynb", "%%writefile assignment1/hw.py\nx = 1", "%%file rope.py\n", ROPE)
    ).files

    assert files["assignment1/rope.py"] == "\n"
    assert files["assignment1/hw.py"] == "x = 1\n"
    assert files["assignment1/notebook_cells/cell_3.py"] == ROPE
    assert "from . import notebook_cells " in files["assignment1/ffn.py"]


# -- what is wrong with it ---------------------------------------------------------------------------------------


def test_a_cell_that_is_no_python_is_left_out_with_a_note(tmp_path):
    submission = read(notebooks.write(tmp_path / "hw.ipynb", "x = 1", "y = 1\ny = = 2", ROPE))

    assert submission.files["assignment1/hw/cell_3.py"] == ROPE
    assert [(note.message, dict(note.arguments)) for note in submission.notes] == [
        ("intake.cell", {"cell": 2, "line": 2, "detail": "invalid syntax"})
    ]


@pytest.mark.parametrize("source", ["x = '\0'", "x = '\ud800'"])
def test_a_cell_that_no_file_could_hold_is_left_out_with_a_note(tmp_path, source):
    written = f"%%writefile norm.py\n{source}"

    submission = read(notebooks.write(tmp_path / "hw.ipynb", source, written, ROPE))

    assert [note.arguments["cell"] for note in submission.notes] == [1, 2]
    assert submission.digest


@pytest.mark.parametrize("cells", [(), ("print(1)",), ("import torch\nx = 1",), ("def plot(): ...",)])
def test_a_notebook_that_defines_nothing_for_the_assignment_is_refused(tmp_path, cells):
    path = notebooks.write(tmp_path / "hw.ipynb", *cells)

    assert refusal(path) == "hw.ipynb defines nothing that the assignment asks for"


def test_when_only_a_broken_cell_could_define_something_it_is_named(tmp_path):
    path = notebooks.write(tmp_path / "hw.ipynb", "x = 1", "def apply_rope(:")

    assert refusal(path) == "hw.ipynb defines nothing that the assignment asks for; its cell 2 is not valid Python"


@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            "x = 1",
            "[]",
            "null",
            "[" * 100_000,
            '{"cells": [{}], "nbformat": 4}',
            '{"nbformat": [], "nbformat_minor": 0}',
        ],
        '{"cells": 5, "nbformat": 4, "nbformat_minor": 2, "metadata": {}}',
        '{"nbformat": 99, "nbformat_minor": 0}',
        '{"cells": [{"cell_type": "other", "input": ""}], "nbformat": 1}',
        '{"cells": [{"cell_type": "code", "source": 5}], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}',
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path, text):
    (tmp_path / "hw.ipynb").write_text(text)

    assert refusal(tmp_path / "hw.ipynb") == "hw.ipynb is no readable notebook"


def test_outputs_do_not_count_as_code_but_have_a_limit(tmp_path):
    picture = {"output_type": "display_data", "data": {"image/png": "A" * (1 << 20)}, "metadata": {}}
    path = notebooks.write(tmp_path / "hw.ipynb", notebooks.code(ROPE, outputs=[picture]))
    large = notebooks.write(tmp_path / "large.ipynb", notebooks.code(ROPE, outputs=[picture] * 8))

    assert read(path).files["assignment1/hw/cell_1.py"] == ROPE
    assert refusal(large) == "large.ipynb is larger than 8 MiB; clear its outputs"


@pytest.mark.parametrize("value", ["[],", "{},", "1.5,"])
def test_very_many_values_are_refused_before_they_take_memory(tmp_path, value):
    path = tmp_path / "hw.ipynb"
    path.write_text('{"cells": [' + value * 500_000 + "0]}")

    assert refusal(path) == "hw.ipynb holds more than 500000 values; clear its outputs"


@pytest.mark.parametrize("cells", [["x = 1"] * 2001, ["x = 1\n" * 50_000]])
def test_too_much_code_is_refused(tmp_path, cells):
    path = notebooks.write(tmp_path / "hw.ipynb", *cells)

    assert refusal(path) == "hw.ipynb has more than 2000 code cells or 128 KiB of code"


def test_without_nbformat_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = notebooks.write(tmp_path / "hw.ipynb", ROPE)
    monkeypatch.setitem(sys.modules, "nbformat", None)

    with pytest.raises(UsageError, match=r'^hw\.ipynb is a notebook; .* pip install "assignment1-grader\[notebook\]"$'):
        read(path)


def test_nothing_is_logged_about_an_old_notebook_that_is_not_valid(tmp_path, capfd):
    path = notebooks.write_v3(tmp_path / "hw.ipynb", ROPE)
    path.write_text(json.dumps({**json.loads(path.read_text()), "more": 1}))

    assert "assignment1/rope.py" in read(path).files
    assert capfd.readouterr() == ("", "")
