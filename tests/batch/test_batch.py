"""``grader batch`` from a platform's zip to grades, as an instructor runs it."""

from __future__ import annotations

import csv
import json
import re
import zipfile

import jsonschema
import pytest
from classes import CHECKS, grader, make_class, small_assignment, submissions, zipped

from grader.report import json_file, summary

ROSTER = "student_id,name,lms_id,email\nS1,=Zhang San,1,zs@example.org\nS2,李四,2,\nS3,Wang Wu,3,\nS9,Zhao Liu,9,\n"


@pytest.fixture(scope="module")
def canvas(tmp_path_factory):
    """A run over a Canvas download: two graded, one unreadable, one unknown to the roster, one missing."""
    place = tmp_path_factory.mktemp("canvas")
    right, wrong = submissions(2)
    with zipfile.ZipFile(place / "bulk.zip", "w") as archive:
        archive.writestr("zhangsan_1_11_hw.zip", zipped(right))
        archive.writestr("李四_LATE_2_12_作业.zip", zipped(wrong))
        archive.writestr("wangwu_3_13_hw.zip", b"PK\x03\x04 damaged")
        archive.writestr("stranger_4_14_hw.zip", zipped(right))
        archive.writestr("readme.md", b"x")
    (place / "roster.csv").write_text(ROSTER, "utf-8")
    arguments = ["--roster", place / "roster.csv", "--assignment", small_assignment(place), "--jobs", 2, "--seed", 4]
    done = grader("batch", place / "bulk.zip", "-o", place / "run", *arguments, "--lang", "zh")
    assert done.returncode == 0, done.stderr
    return place / "run", done.stdout


def test_the_summary_says_how_each_ended(canvas):
    read = summary.from_json((canvas[0] / "summary.json").read_text("utf-8"))
    entries = {entry.id: entry for entry in read.submissions}

    assert {id: (entry.state, entry.score) for id, entry in entries.items()} == {
        "S1": ("graded", 6),
        "S2": ("graded", entries["S2"].score),
        "S3": ("unreadable", None),
        "4": ("graded", 6),
        "S9": ("missing", None),
    }
    assert entries["S2"].score < 6
    assert entries["S2"].mistakes
    assert set(entries["S2"].mistakes) <= set(read.mistakes)
    assert entries["S2"].attempt.late is True
    assert "no readable zip archive" in entries["S3"].reason["zh"]
    assert entries["4"].student.in_roster is False
    assert "不在名单中" in entries["4"].notes[0]["zh"]
    assert list(read.skipped) == ["readme.md"]
    assert (read.layout, read.seed, read.max_score, read.health.jobs) == ("canvas", 4, 6, 2)
    assert [check.id for check in read.checks] == [cell.id for cell in entries["S1"].checks]
    assert set(CHECKS) == {check.id for check in read.checks}


def test_the_summary_is_valid_against_its_schema(canvas):
    written = json.loads((canvas[0] / "summary.json").read_text("utf-8"))

    jsonschema.Draft202012Validator(summary.published_schema()).validate(written)


def test_every_graded_submission_has_a_report_and_a_page(canvas):
    read = summary.from_json((canvas[0] / "summary.json").read_text("utf-8"))

    for entry in read.submissions:
        assert (entry.report is not None) == (entry.page is not None) == (entry.state == "graded")
        if entry.report is not None:
            report = json_file.from_json((canvas[0] / entry.report).read_text("utf-8"))
            assert (report.score, report.submission.digest, report.seed) == (entry.score, entry.digest, 4)
            assert (canvas[0] / entry.page).read_text("utf-8").startswith("<!doctype html>")


def test_grades_open_in_a_spreadsheet(canvas):
    raw = (canvas[0] / "grades.csv").read_bytes()
    rows = {row["id"]: row for row in csv.DictReader(raw.decode("utf-8-sig").splitlines())}

    assert raw.startswith(b"\xef\xbb\xbf")
    assert rows["S1"]["name"] == "'=Zhang San"
    assert (rows["S1"]["score"], rows["S9"]["score"], rows["S9"]["state"]) == ("6", "", "missing")
    assert (rows["S2"]["name"], rows["S2"]["late"]) == ("李四", "yes")
    assert sum(int(rows["S2"][check]) for check in CHECKS) == int(rows["S2"]["score"])


def test_without_a_terminal_there_is_one_line_a_submission(canvas):
    lines = [line for line in canvas[1].splitlines() if re.match(r"\[\s*\d+/5\]", line)]

    assert len(lines) == 5
    assert any("=Zhang San" in line and "6 / 6" in line for line in lines)
    assert "readme.md" in canvas[1]
    assert "已评分 3 份，无法读取 1 份，未提交 1 份，未评分 0 份" in canvas[1]


def test_a_report_of_the_run_can_be_replayed_from_it(canvas):
    done = grader("replay", canvas[0] / "reports/S2/report.json", "--lang", "en")

    assert (done.returncode, done.stderr) == (0, "")
    assert "The same: every byte outside timing" in done.stdout


def test_a_batch_gives_the_report_of_a_single_check(canvas, tmp_path):
    right = tmp_path / "right.zip"
    right.write_bytes(zipped(submissions(1)[0]))
    single = tmp_path / "report.json"

    done = grader("check", right, "--seed", 4, "--assignment", canvas[0].parent / "small.toml", "--json", single)

    assert done.returncode == 0
    one, other = (json.loads(path.read_text("utf-8")) for path in (single, canvas[0] / "reports/S1/report.json"))
    for report in (one, other):
        del report["timing"], report["submission"]["name"]
    assert one == other


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.zip"], "cannot read none.zip"),
        (["class", "--layout", "google"], "unknown layout 'google'; known are canvas"),
        (["class", "--layout", "moodle"], "fits the layout moodle: expected names such as Zhang San_1001"),
        (["class", "--layout", "folder", "--regex", "x"], "two ways to say the same"),
        (["class", "--regex", "x"], "student_id"),
        (["class", "--roster", "none.csv"], "cannot read the roster none.csv"),
        (["class", "--shard", "3/2", "--seed", "1"], "1 <= i <= n"),
        (["class", "--shard", "1/2"], "--shard needs --seed"),
        (["class", "--device", "tpu"], "unknown device 'tpu'"),
        (["class", "--resume"], "holds no run"),
        (["class", "--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_wrong_use_is_a_sentence_and_nothing_is_written(tmp_path, monkeypatch, arguments, says):
    make_class(tmp_path / "class", 1)
    monkeypatch.chdir(tmp_path)

    done = grader("batch", *arguments, "-o", "run", "--lang", "en")

    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run" / "summary.json").exists()
