"""``grader export`` as people and scripts call it."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from command_line import grader
from exported import RUNNER, not_graded, write_run
from rich.console import Console

from grader.cli import export
from grader.cli.export_commands import FormatName
from grader.errors import GraderError, UsageError
from grader.exports.lms.fill import FillRequest
from grader.exports.registry import FORMATS
from grader.report import json_file


def exported(source, to, out=None, *, environment=None, language="en", **changes):
    """What it returned and what it said."""
    stream = io.StringIO()
    values = {"template": None, "fill": FillRequest(language=language), "submissions": None, "language": language}
    request = export.ExportRequest(source, to, out, **{**values, **changes})
    code = export.run(request, Console(file=stream, width=10_000), environment or {})
    return code, stream.getvalue()


def test_the_command_knows_every_format():
    assert [one.value for one in FormatName] == list(FORMATS)


def test_a_report_is_exported(report_file):
    ended = grader("export", report_file, "--to", "junit")

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("<?xml")


def test_no_export_imports_torch(report_file, tmp_path):
    program = (
        "import sys\nfrom grader.cli.app import app\n"
        f"try: app(['export', {str(report_file)!r}, '--to', 'ctrf', '-o', {str(tmp_path / 'x.json')!r}])\n"
        "except SystemExit as end: print(end.code, 'torch' in sys.modules)"
    )

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ended.stdout.split() == ["0", "False"]


@pytest.mark.parametrize("to", ["gradescope", "prairielearn", "junit", "ctrf", "github-summary"])
def test_it_is_written_where_it_is_asked_for(to, report_file, tmp_path):
    code, _ = exported(report_file, to, tmp_path / "out.txt")

    assert code == 0
    assert (tmp_path / "out.txt").stat().st_size > 500


def test_standard_output_is_utf_8_whatever_the_console(report_file, capfdbinary):
    exported(report_file, "gradescope", language="zh")

    assert "得分" in json.loads(capfdbinary.readouterr().out.decode("utf-8"))["output"]


@pytest.mark.parametrize("to", ["gradescope", "classroom50"])
def test_without_a_grade_nothing_is_written_where_it_would_be_a_zero(to, tmp_path):
    json_file.write(not_graded(), tmp_path / "report.json")

    with pytest.raises(GraderError, match="the engine stopped"):
        exported(tmp_path / "report.json", to, tmp_path / "out.json", environment=RUNNER)
    assert not (tmp_path / "out.json").exists()


def test_without_a_grade_the_exit_code_is_three(tmp_path):
    json_file.write(not_graded(), tmp_path / "report.json")

    ended = grader("export", tmp_path / "report.json", "--to", "gradescope")

    assert ended.returncode == 3
    assert ended.stdout == ""
    assert ended.stderr.startswith("not graded: nothing was written for gradescope")


def test_classroom50_gets_a_release_and_outputs(report_file, tmp_path):
    environment = {**RUNNER, "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    (tmp_path / "outputs").write_text("before=1\n", "utf-8")

    exported(report_file, "classroom50", tmp_path / "result.json", environment=environment)

    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["score"] == 5
    assert "Score 5 of 9" in (tmp_path / "release-body.md").read_text("utf-8")
    assert (tmp_path / "outputs").read_text("utf-8") == "before=1\nstatus=fail\nsummary=5/9\n"


def test_in_actions_the_summary_goes_to_the_step_and_annotations_to_the_log(report_file, tmp_path, capfdbinary):
    summary = tmp_path / "summary.md"
    summary.write_text("mine\n", "utf-8")

    exported(report_file, "github-summary", environment={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)})

    log = capfdbinary.readouterr().out.decode()
    assert summary.read_text("utf-8").startswith("mine\n### Assignment 1")
    assert log.startswith("::error file=assignment1/rope.py,line=12")
    assert "Score" not in log


def test_in_actions_a_summary_in_the_log_is_fenced(report_file, capfdbinary):
    exported(report_file, "github-summary", environment={"GITHUB_ACTIONS": "true"})

    assert capfdbinary.readouterr().out.startswith(b"::stop-commands::")


def test_elsewhere_a_summary_is_printed_as_it_is(report_file, capfdbinary):
    exported(report_file, "github-summary")

    assert capfdbinary.readouterr().out.startswith(b"### Assignment 1")


def test_a_full_step_summary_is_not_overrun(report_file, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("x" * (1024 * 1024 - 400), "utf-8")

    exported(report_file, "github-summary", environment={"GITHUB_STEP_SUMMARY": str(summary)})

    assert summary.stat().st_size <= 1024 * 1024


@pytest.mark.parametrize("to", ["junit", "ctrf"])
def test_a_class_is_one_file(to, run, tmp_path):
    code, said = exported(run.folder, to, tmp_path / f"{to}.xml")

    assert code == 0
    assert said == f"{tmp_path / f'{to}.xml'}: 5 submissions\n"
    assert "alice" in (tmp_path / f"{to}.xml").read_text("utf-8")


def test_a_file_that_is_too_large_for_gitlab_is_told_of(run, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "_MOST_JUNIT", 10)

    assert "GitLab reads files of up to 30 MB" in exported(run.folder, "junit", tmp_path / "j.xml")[1]
    assert "GitLab" not in exported(run.folder, "junit", tmp_path / "folder")[1]


def test_a_class_as_junit_into_a_folder_is_a_file_a_student(run, tmp_path):
    exported(run.folder, "junit", tmp_path / "junit")

    assert sorted(path.name for path in (tmp_path / "junit").iterdir()) == [
        *("alice.xml", "bob.xml", "infrastructure-1.xml", "missing-1.xml", "unreadable-1.xml")
    ]


def test_a_grade_file_is_filled_in_and_told_of(run, tmp_path):
    template = tmp_path / "grades.csv"
    template.write_text("Student,ID,Section,A (1)\nx,alice,s,3\ny,nobody,s,\n", "utf-8")

    _, said = exported(run.folder, "lms-template", tmp_path / "filled.csv", template=template)

    assert (tmp_path / "filled.csv").read_text("utf-8") == "Student,ID,Section,A (1)\nx,alice,s,5\ny,nobody,s,\n"
    assert template.read_text("utf-8").endswith("y,nobody,s,\n")
    assert said.splitlines() == [
        f"{tmp_path / 'filled.csv'}: 1 grades and 0 comments filled in (canvas)",
        "1 grades were another before: alice 3 -> 5",
        "4 submissions have no row: bob, infrastructure-1, unreadable-1, missing-1",
        "1 rows have no submission, and stay as they were",
    ]


@pytest.mark.parametrize(
    ("to", "changes", "said"),
    [
        ("gradescope", {}, "is made of one report"),
        ("junit", {}, "needs --out"),
        ("lms-template", {"out": "x.csv"}, "needs --template"),
        ("similarity", {"out": "tree"}, "needs --submissions"),
        ("lms-template", {"out": "x.csv", "template": "none.csv"}, "cannot read"),
    ],
)
def test_a_class_that_cannot_be_exported_so_is_told_why(to, changes, said, run, tmp_path):
    paths = {name: tmp_path / value for name, value in changes.items()}

    with pytest.raises(UsageError, match=said):
        exported(run.folder, to, **paths)


def test_the_template_itself_is_never_written_over(run, tmp_path):
    template = tmp_path / "grades.csv"
    template.write_text("a", "utf-8")

    with pytest.raises(UsageError, match="the same file"):
        exported(run.folder, "lms-template", template, template=template)


@pytest.mark.parametrize("to", ["lms-template", "feedback-zip", "similarity"])
def test_one_report_is_no_class(to, report_file, tmp_path):
    with pytest.raises(UsageError, match="is made of a run over a class"):
        exported(report_file, to, tmp_path / "x")


def test_what_cannot_be_read_or_written_is_a_sentence(report_file, tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*nothing\.json: No such file"):
        exported(tmp_path / "nothing.json", "junit")
    with pytest.raises(UsageError, match="holds neither"):
        exported(tmp_path / "..", "junit")
    with pytest.raises(UsageError, match=r"cannot read or write .*No such file"):
        exported(report_file, "junit", tmp_path / "no" / "x.xml")


def test_the_formats_of_a_folder_with_one_report_are_those_of_the_report(report_file):
    assert exported(report_file.parent, "junit")[0] == 0


def test_nothing_of_another_run_is_touched(tmp_path, report):
    run = write_run(tmp_path / "run", report, ["alice"])
    before = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}

    exported(run.folder, "feedback-zip", tmp_path / "f.zip")

    assert {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()} == before


# -- grader report -----------------------------------------------------------------------------------------------


def test_a_class_is_shown_on_a_page(run, tmp_path):
    ended = grader("report", run.folder, "-o", tmp_path / "site", "--lang", "zh")

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"{tmp_path / 'site' / 'index.html'}：5 份提交；请用浏览器打开\n"
    assert sorted(path.name for path in (tmp_path / "site/students").iterdir()) == ["alice.html", "bob.html"]


def test_pages_that_have_gone_are_told_of(run, tmp_path):
    (run.folder / "reports/bob/report.html").unlink()

    ended = grader("report", run.folder, "-o", tmp_path / "site")

    assert ended.returncode == 0
    assert "1 pages of students are not in the run's folder any more: bob" in ended.stdout


def test_one_report_has_no_page_of_a_class(report_file, tmp_path):
    ended = grader("report", report_file, "-o", tmp_path / "site")

    assert ended.returncode == 2
    assert "is one report" in ended.stderr
    assert not (tmp_path / "site").exists()
