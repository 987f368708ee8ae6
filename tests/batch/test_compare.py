"""``grader diff``, ``merge`` and ``replay``: what changed and why, parts of a class, the same report again."""

from __future__ import annotations

import json
import shutil

import pytest
from classes import SMALL, Runs, grades, make_class, small_assignment
from rich.console import Console

from grader.batch import digests
from grader.batch.diff import Side, changes
from grader.batch.merge import merge
from grader.batch.replay import differences, environment_differences, from_run, read_report
from grader.cli import diff
from grader.errors import Outcome, UsageError
from grader.report import summary
from grader.report.summary import Shard


@pytest.fixture
def runs(tmp_path):
    return Runs(make_class(tmp_path / "class", 6), small_assignment(tmp_path))


def whys(old, new):
    return {change.id: (change.why, change.checks) for change in changes(Side(old), Side(new))}


# -- diff --------------------------------------------------------------------------------------------------------


def test_two_equal_runs_do_not_differ(runs, tmp_path):
    runs.go(tmp_path / "old")
    runs.go(tmp_path / "new")

    assert whys(tmp_path / "old", tmp_path / "new") == {}


def test_why_a_grade_changed(runs, tmp_path, monkeypatch):
    runs.go(tmp_path / "old")
    runs.engine.outcomes = {"1001": {"rope.frequencies": Outcome.FAIL}}
    runs.go(tmp_path / "flaky")
    runs.go(tmp_path / "seed", seed=77)
    known = digests.check_sources()
    monkeypatch.setattr(digests, "check_sources", lambda: {**known, "rope.frequencies": "x"})
    runs.go(tmp_path / "check")

    failed = ("rope.frequencies",)
    assert whys(tmp_path / "old", tmp_path / "flaky") == {"1001": (("flaky",), failed)}
    assert whys(tmp_path / "old", tmp_path / "seed") == {"1001": (("seed",), failed)}
    assert whys(tmp_path / "old", tmp_path / "check") == {"1001": (("check",), failed)}


def test_another_submission_other_points_and_trouble_of_ours(runs, tmp_path):
    runs.go(tmp_path / "old")
    (tmp_path / "class" / "1002.zip").write_bytes(b"PK damaged")
    (tmp_path / "class" / "1003.zip").unlink()
    runs.engine.trouble = {"1004": ["no worker"] * 9}
    small_assignment(tmp_path, SMALL.replace('"rope.frequencies" = 2', '"rope.frequencies" = 3'))
    runs.go(tmp_path / "new")

    found = whys(tmp_path / "old", tmp_path / "new")

    assert found["1002"][0] == found["1003"][0] == ("submission",)
    assert "infrastructure" in found["1004"][0] or found["1004"][0] == ("submission",)
    assert found["1005"] == (("assignment", "check"), ("rope.frequencies",))


@pytest.mark.parametrize(("language", "says"), [("en", "6 -> 4  (nothing differs"), ("zh", "6 -> 4  (条件完全相同")])
def test_a_line_a_change(runs, tmp_path, language, says):
    runs.go(tmp_path / "old")
    runs.engine.outcomes = {"1001": {"rope.frequencies": Outcome.FAIL}}
    runs.go(tmp_path / "new")
    console = Console(width=200, record=True, file=(tmp_path / "out").open("w"))

    assert diff.run(tmp_path / "old", tmp_path / "new", language, console) == 0

    shown = console.export_text()
    console.file.close()
    assert f"1001  {says}" in shown
    assert "rope.frequencies" in shown


def test_what_is_no_run_cannot_be_compared(tmp_path):
    with pytest.raises(UsageError, match="holds no run"):
        Side(tmp_path)


# -- shards and merge --------------------------------------------------------------------------------------------


def parts_of(runs, tmp_path, count=3):
    for index in range(1, count + 1):
        runs.go(tmp_path / f"part{index}", shard=Shard(index=index, count=count))
    return [tmp_path / f"part{index}" for index in range(1, count + 1)]


def test_parts_make_the_whole(runs, tmp_path):
    runs.go(tmp_path / "whole")
    runs.engine.asked.clear()

    whole = merge(parts_of(runs, tmp_path), tmp_path / "merged", language="en")

    assert sorted(name for name, _ in runs.engine.asked) == [str(1000 + at) for at in range(6)]
    assert grades(tmp_path / "merged") == grades(tmp_path / "whole")
    assert (whole.shard, whole.health.engine) == (None, "merged")
    assert whys(tmp_path / "whole", tmp_path / "merged") == {}
    for entry in whole.submissions:
        assert (tmp_path / "merged" / entry.report).read_bytes() != b""


def test_parts_that_do_not_belong_together_are_refused(runs, tmp_path):
    first, second, third = parts_of(runs, tmp_path)
    runs.go(tmp_path / "other", shard=Shard(index=3, count=3), seed=99)

    with pytest.raises(UsageError, match="missing of 3 parts: 3"):
        merge([first, second], tmp_path / "merged", language="en")
    with pytest.raises(UsageError, match="have different seeds"):
        merge([first, second, tmp_path / "other"], tmp_path / "merged", language="en")
    with pytest.raises(UsageError, match="is not empty"):
        merge([first, second, third], first, language="en")
    (second / summary.SUMMARY_FILE).unlink()
    with pytest.raises(UsageError, match="finish it with --resume"):
        merge([first, second, third], tmp_path / "merged", language="en")
    assert not (tmp_path / "merged").exists()


def test_one_student_with_two_grades_is_refused(runs, tmp_path):
    runs.go(tmp_path / "one")
    runs.engine.outcomes = {"1001": {"rope.frequencies": Outcome.FAIL}}
    runs.go(tmp_path / "two")

    with pytest.raises(UsageError, match="1001 is graded twice, and not alike"):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "merged", language="en")


# -- replay ------------------------------------------------------------------------------------------------------


def test_a_run_keeps_what_it_graded(runs, tmp_path):
    runs.go(tmp_path / "run")
    path = tmp_path / "run" / "reports" / "1003" / "report.json"
    report = read_report(path)

    files, settings = from_run(path, report)

    assert files.digest == report.submission.digest
    assert settings.assignment.title == "Small"
    shutil.copy(path, tmp_path / "report.json")
    assert from_run(tmp_path / "report.json", report) is None


def test_what_differs_is_named_by_its_place(runs, tmp_path):
    runs.go(tmp_path / "run")
    path = tmp_path / "run" / "reports" / "1003" / "report.json"
    values = json.loads(path.read_text("utf-8"))
    before = read_report(path)
    values["checks"][0]["outcome"] = "fail"
    values["environment"]["torch"] = "3.0"
    values["timing"]["total"] = 77.0
    path.write_text(json.dumps(values), "utf-8")
    after = read_report(path)

    found = {one.path: (one.before, one.after) for one in differences(before, after)}

    first = before.checks[0].id
    assert found[f"checks.{first}.outcome"] == ("pass", "fail")
    assert found["score"] == (6, 4)
    assert not any("timing" in place or "environment" in place for place in found)
    assert [one.path for one in environment_differences(before, after)] == ["torch"]
    assert differences(before, before) == []


@pytest.mark.parametrize("text", ["", "{}", "[]"])
def test_what_is_no_report_cannot_be_replayed(tmp_path, text):
    (tmp_path / "report.json").write_text(text)

    with pytest.raises(UsageError, match="is no report"):
        read_report(tmp_path / "report.json")
