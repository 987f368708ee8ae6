"""One file as a submission: a module of the contract by its name, or everything under the student's own name."""

from __future__ import annotations

import pytest
from bank_loader import base

from grader.contract import MODULES
from grader.errors import Outcome, SubmissionError
from grader.intake import rules
from grader.intake.read import read
from grader.session import grade

ORDER = ("norm", "rope", "kv_cache", "ffn", "attention", "block")


def everything() -> str:
    """The base submission as one file."""
    texts = [base().files[f"assignment1/{module}.py"] for module in ORDER]
    lines = [
        line for text in texts for line in text.splitlines() if not line.startswith(("from .", "from assignment1"))
    ]
    futures = [line for line in lines if line.startswith("from __future__")][:1]
    return "\n".join([*futures, *(line for line in lines if line not in futures)]) + "\n"


@pytest.fixture
def graded(warm_runner, settings):
    def run(path, *checks):
        report = grade(read(path), warm_runner, settings, seed=5, selected=[*checks])
        assert report.graded, report.error
        return {check.id: check for check in report.checks}

    return run


@pytest.mark.parametrize("module", MODULES)
def test_a_file_with_a_module_s_name_is_that_module(tmp_path, module):
    (tmp_path / f"{module}.py").write_text("x = 1\n")

    submission = read(tmp_path / f"{module}.py")

    assert submission.files == {f"assignment1/{module}.py": "x = 1\n"}
    assert submission.name == f"{module}.py"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        *[("hw1.py", "hw1"), ("assignment1.py", "assignment1"), ("作业.py", "作业"), ("HW1.PY", "HW1")],
        *[("my homework.py", "submission"), ("rope (1).py", "submission"), ("class.py", "submission")],
        *[("__init__.py", "submission"), ("_x.py", "submission"), ("a.b.py", "submission")],
    ],
)
def test_another_file_is_offered_as_every_module_under_its_own_name_where_it_has_one(tmp_path, name, own):
    (tmp_path / name).write_text("x = 1\n")

    files = read(tmp_path / name).files

    assert set(files) == {f"assignment1/{own}.py", *(f"assignment1/{module}.py" for module in MODULES)}
    assert files[f"assignment1/{own}.py"] == "x = 1\n"


def test_a_file_with_everything_earns_what_its_parts_earn(tmp_path, graded):
    (tmp_path / "作业.py").write_text(everything(), "utf-8")
    checks = [
        "norm.rmsnorm-values",
        "rope.base",
        "cache.append-order",
        "gqa.parameters",
        "ffn.hidden-dim",
        "block.gradients",
    ]

    results = graded(tmp_path / "作业.py", *checks)

    assert set(results) == set(checks)
    assert {result.outcome for result in results.values()} == {Outcome.PASS}


def test_an_all_list_in_the_file_hides_nothing(tmp_path, graded):
    (tmp_path / "hw1.py").write_text(
        '__all__ = ["SwiGLU"]\n' + everything().replace("from __future__ import annotations\n", "")
    )

    assert graded(tmp_path / "hw1.py", "rope.base")["rope.base"].outcome is Outcome.PASS


def test_a_traceback_names_the_student_s_own_file_and_line(tmp_path, graded):
    (tmp_path / "hw1.py").write_text("\n\ndef swiglu_hidden_dim(dim, multiple_of=1):\n    return {}[dim]\n")

    finding = graded(tmp_path / "hw1.py", "ffn.hidden-dim")["ffn.hidden-dim"].finding

    assert [(frame.file, frame.line, frame.text) for frame in finding.frames] == [
        ("assignment1/hw1.py", 4, "return {}[dim]")
    ]


@pytest.mark.parametrize(("text", "line"), [("x = 1\ny = = 2\n", 2), ("x = 1\n\nraise OSError('no')\n", 3)])
def test_what_keeps_the_file_from_being_imported_is_shown_in_it(tmp_path, graded, text, line):
    (tmp_path / "hw1.py").write_text(text)

    finding = graded(tmp_path / "hw1.py", "ffn.hidden-dim")["ffn.hidden-dim"].finding

    assert (finding.frames[-1].file, finding.frames[-1].line) == ("assignment1/hw1.py", line)


def test_a_name_that_is_missing_is_missed_with_what_is_there(tmp_path, graded):
    (tmp_path / "hw1.py").write_text("def swiglu_hiden_dim(dim, multiple_of=1): return 1\n")

    finding = graded(tmp_path / "hw1.py", "ffn.hidden-dim")["ffn.hidden-dim"].finding

    assert "Did you mean swiglu_hiden_dim to be swiglu_hidden_dim?" in finding.text["en"]


def test_gbk_is_noted_in_the_report(tmp_path, warm_runner, settings):
    (tmp_path / "ffn.py").write_bytes("# 前馈\n".encode("gbk") + base().files["assignment1/ffn.py"].encode("ascii"))

    report = grade(read(tmp_path / "ffn.py"), warm_runner, settings, seed=5, selected=["ffn.hidden-dim"])

    assert report.score == report.max_score
    assert [note.message for note in report.submission.notes] == ["intake.encoding"]
    assert (
        report.submission.notes[0].text["en"].startswith("assignment1/ffn.py was read as GBK, since it is not UTF-8.")
    )
    assert "请另存为 UTF-8" in report.submission.notes[0].text["zh"]


def test_a_file_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "hw1.py").write_bytes(b"#" * (rules.MAX_FILE_BYTES + 1))

    with pytest.raises(SubmissionError, match=r"^hw1\.py is larger than 1024 KiB$"):
        read(tmp_path / "hw1.py")
