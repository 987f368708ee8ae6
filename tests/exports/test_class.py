"""A whole class: JUnit, CTRF, the zip of pages, the tree for similarity tools."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from pathlib import Path

import bank_loader
import jsonschema
import junitparser
import made_reports as made
import pytest
from exported import whole_report, write_run

from grader.errors import UsageError
from grader.exports import ctrf, feedback_zip, junit, similarity
from grader.intake.read import read
from grader.report.summary import Attempt


def junit_of(run):
    stream, spool = io.StringIO(), tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed at the end
    junit.write_run(run.reports(), stream, spool, "en")
    spool.close()
    return stream.getvalue()


def test_a_class_as_junit_has_a_suite_for_everybody(run):
    text = junit_of(run)

    read_back = junitparser.JUnitXml.fromstring(text.encode())
    suites = {suite.name: suite for suite in read_back}
    assert list(suites) == ["alice", "bob", "infrastructure-1", "unreadable-1", "missing-1"]
    names = [case.name for suite in read_back for case in suite]
    assert len(set(names)) == len(names)
    kinds = {name: [type(one).__name__ for case in suites[name] for one in case.result] for name in list(suites)[2:]}
    assert kinds == {"infrastructure-1": ["Error"], "unreadable-1": ["Failure"], "missing-1": ["Skipped"]}
    assert (read_back.tests, read_back.failures, read_back.errors, read_back.skipped) == (19, 5, 1, 7)


def test_a_class_as_ctrf_follows_the_schema(run):
    stream = io.StringIO()
    ctrf.write_run(run.summary, run.reports(), stream, "zh")
    values = json.loads(stream.getvalue())

    schema = json.loads(Path(__file__).with_name("ctrf.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(values)
    assert values["results"]["summary"]["tests"] == 19
    assert values["results"]["summary"]["other"] == 3  # advice twice, and one that is our fault
    assert {test["suite"][1] for test in values["results"]["tests"]} >= {"alice", "missing-1"}


def test_a_report_that_has_gone_is_our_fault_and_costs_one_alone(run):
    (run.folder / "reports/alice/report.json").write_text("{", "utf-8")

    entries = {entry.id: (entry.state, report) for entry, report in run.reports()}

    assert entries["alice"] == ("infrastructure", None)
    assert entries["bob"][0] == "graded"
    assert 'type="infrastructure"' in junit_of(run)


# -- pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "attempt", "expected"),
    [
        ("canvas", "lovelaceada_LATE_101_4711_hw-1.zip", "lovelaceada_LATE_101_4711_report.html"),
        ("canvas", "张三_102_4712_作业 1.zip", "张三_102_4712_report.html"),
        ("canvas", "LATE_anon_Ab3_99_x.py", "LATE_anon_Ab3_99_report.html"),
        ("moodle", "Ada L._101_assignsubmission_file/hw.zip", "Ada L._101_assignsubmission_file/report.html"),
        ("moodle", "Ada L._101_assignsubmission_file_/hw.zip", "Ada L._101_assignsubmission_file_/report.html"),
        ("moodle", "Ada L._101_assignsubmission_file_", "Ada L._101_assignsubmission_file_/report.html"),
        ("moodle", "Ada L._101_assignsubmission_file", "Ada L._101_assignsubmission_file/report.html"),
        ("moodle", "Ada L._101_assignsubmission_file_hw.zip", "Ada L._101_assignsubmission_file_report.html"),
        (
            "blackboard",
            "HW 1_ada_attempt_2026-11-01-23-59-00_hw.zip",
            "HW 1_ada_attempt_2026-11-01-23-59-00_report.html",
        ),
        ("folder", "whatever.zip", "alice/report.html"),
        ("canvas", "unknown", "alice/report.html"),
    ],
)
def test_pages_bear_the_platforms_own_prefix(layout, attempt, expected):
    entry = made.entry_of(whole_report(), "alice", attempt=Attempt(source=attempt))

    assert feedback_zip.name_of(entry, layout) == expected


def test_the_zip_holds_every_page_once(run):
    file = io.BytesIO()

    count = feedback_zip.write(run, file)

    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["alice/report.html", "bob/report.html"]
        assert archive.read("bob/report.html") == b"<p>page of bob</p>"
    assert count == 2


def test_two_students_with_one_name_keep_their_pages(tmp_path):
    report = whole_report()
    run = write_run(tmp_path / "run", report, ["a", "b"])
    for entry in run.summary.submissions[:2]:
        entry.attempt = Attempt(source="Same_1_assignsubmission_file/x.zip")
    run.summary.layout = "moodle"

    names = [name for name, _ in feedback_zip.pages(run)]

    assert names == ["Same_1_assignsubmission_file/report.html", "b/report.html"]


# -- similarity --------------------------------------------------------------------------------------------------


@pytest.fixture
def handed_in(tmp_path):
    folder = tmp_path / "in"
    for id in ("alice", "bob"):
        for path, text in bank_loader.base().files.items():
            file = folder / id / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    return folder


def run_over(handed_in, tmp_path):
    run = write_run(tmp_path / "run", whole_report(), ["alice", "bob", "gone"])
    for entry in run.summary.submissions[:3]:
        place = handed_in / entry.id
        entry.attempt = Attempt(source=entry.id)
        entry.digest = read(place).digest if place.exists() else "0" * 64
    return run


def test_similarity_tools_get_a_folder_and_a_file_a_student(handed_in, tmp_path):
    run = run_over(handed_in, tmp_path)
    (handed_in / "bob/assignment1/rope.py").write_text("changed = 1", "utf-8")

    written = similarity.write(run, handed_in, tmp_path / "out")

    assert (written.count, written.changed, written.unreadable) == (2, ["bob"], ["gone"])
    names = sorted(path.name for path in (tmp_path / "out/submissions/alice").iterdir())
    assert names == sorted(path.name for path in (handed_in / "alice/assignment1").iterdir() if path.suffix == ".py")
    together = (tmp_path / "out/files/alice.py").read_text("utf-8")
    assert '"""' not in together
    assert "#" not in together
    compile(together, "alice.py", "exec")
    assert (tmp_path / "out/base/rope.py").is_file()
    assert (tmp_path / "out/base.py").is_file()
    assert "base.py" in (tmp_path / "out/README.txt").read_text("utf-8")


def test_a_folder_that_holds_something_is_left_alone(handed_in, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.py").touch()

    with pytest.raises(UsageError, match="not an empty folder"):
        similarity.write(run_over(handed_in, tmp_path), handed_in, tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""Doc."""\n# note\nx  =  1\n', "x = 1\n"),
        ('def f():\n    """Doc."""\n', "def f():\n    pass\n"),
        ("def f(:\n", "def f(:\n"),
        ("x = '" + "(" * 300 + "'", "x = '" + "(" * 300 + "'\n"),
        ("(" * 300, "(" * 300),
        ("\x00", "\x00"),
    ],
)
def test_layout_and_words_do_not_hide_a_likeness(text, expected):
    assert similarity.normalised(text) == expected
