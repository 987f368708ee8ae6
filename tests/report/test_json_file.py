"""The report as a file: whole or not at all, and the same after reading it back."""

import json
import math
import os
import re

import pytest

from grader.errors import Outcome
from grader.report import json_file
from grader.report.models import Frame
from grader.text import clean

AWKWARD = [
    pytest.param("\x00\x07\x1b[31m\x7f\x9b\r\n\t", id="control characters"),
    pytest.param("\u202e\u2066\u200b\ufeff", id="invisible characters"),
    pytest.param('"quoted" \\ / {braces} %s', id="quotes"),
    pytest.param("汉字 \U0001f600 é", id="beyond ASCII"),
    pytest.param("\u2028\u2029\x85", id="line separators"),
    pytest.param("NaN", id="a word that looks like a number"),
]
NUMBERS = {"nan": math.nan, "most": math.inf, "least": -math.inf, "tiny": 5e-324, "whole": 2**62, "none": None}


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


# -- reading back ------------------------------------------------------------------------------------------------


def test_a_report_reads_back_as_it_was(check_result, finding, make_report):
    frame = Frame(file="assignment1/rope.py", line=3, function="apply_rope", text="x = 1")
    failed = check_result("rope.dtype", Outcome.FAIL, finding=finding(frames=[frame], case="bf16"))
    report = make_report(check_result(), failed)

    again = json_file.from_json(json_file.to_json(report))

    assert again == report


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_survives(text, check_result, finding, make_report):
    report = make_report(check_result(outcome=Outcome.FAIL, finding=finding(text, arguments={"detail": text})))

    again = json_file.from_json(json_file.to_json(report))

    assert again.checks[0].finding.text["en"] == text
    assert again.checks[0].finding.arguments["detail"] == text


def test_a_lone_surrogate_is_replaced_at_the_border_and_then_survives(check_result, finding, make_report):
    shown = clean("a\ud800b")
    report = make_report(check_result(outcome=Outcome.FAIL, finding=finding(shown)))

    again = json_file.from_json(json_file.to_json(report))

    assert shown == "a\N{REPLACEMENT CHARACTER}b"
    assert again.checks[0].finding.text["en"] == shown


def test_nan_and_infinity_are_written_as_strict_json(check_result, finding, make_report):
    report = make_report(check_result(outcome=Outcome.FAIL, finding=finding(evidence=NUMBERS)))

    evidence = json.loads(json_file.to_json(report), parse_constant=refuse_constant)["checks"][0]["finding"]["evidence"]

    assert {name: evidence[name] for name in ("nan", "most", "least")} == {
        "nan": "NaN",
        "most": "Infinity",
        "least": "-Infinity",
    }
    assert (evidence["tiny"], evidence["whole"], evidence["none"]) == (5e-324, 2**62, None)


def test_a_report_with_nan_gives_the_same_bytes_again(check_result, finding, make_report):
    text = json_file.to_json(make_report(check_result(outcome=Outcome.FAIL, finding=finding(evidence=NUMBERS))))

    assert json_file.to_json(json_file.from_json(text)) == text


def test_an_edited_score_is_computed_again(check_result, make_report):
    values = json.loads(json_file.to_json(make_report(check_result(outcome=Outcome.FAIL))))
    values |= {"score": 100, "graded": True, "max_score": 100}
    values["checks"][0]["points"] = 2

    again = json_file.from_json(json.dumps(values))

    assert (again.score, again.max_score, again.checks[0].points) == (0, 2, 0)


@pytest.mark.parametrize("place", [(), ("submission",), ("checks", 0), ("timing",)])
def test_unknown_keys_are_refused(place, check_result, make_report):
    values = json.loads(json_file.to_json(make_report(check_result())))
    inner = values
    for key in place:
        inner = inner[key]
    inner["bonus"] = 10

    with pytest.raises(ValueError, match="bonus"):
        json_file.from_json(json.dumps(values))


@pytest.mark.parametrize("text", ["", "[]", "3", "null", "{}", '{"checks": 3}', '{"checks": [3]}', "{", '"\\ud800"'])
def test_what_is_no_report_is_refused_with_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - JSON's and pydantic's own words
        json_file.from_json(text)


# -- the file ----------------------------------------------------------------------------------------------------


def test_the_file_is_utf8_with_plain_line_ends_and_ends_with_one(tmp_path, check_result, make_report):
    report, path = make_report(check_result()), tmp_path / "report.json"

    json_file.write(report, path)

    raw = path.read_bytes()
    assert raw.decode("utf-8") == json_file.to_json(report)
    assert raw.endswith(b"}\n")
    assert b"\r" not in raw


def test_the_file_takes_the_place_of_an_older_one(tmp_path, check_result, make_report):
    path = tmp_path / "report.json"
    path.write_text("old")

    json_file.write(make_report(check_result()), path)

    assert json_file.from_json(path.read_text("utf-8")).score == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize("interrupted", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    interrupted, tmp_path, monkeypatch, check_result, make_report
):
    path = tmp_path / "report.json"
    path.write_text("old")

    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, interrupted, stop)
    with pytest.raises(KeyboardInterrupt):
        json_file.write(make_report(check_result()), path)

    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_reader_never_sees_half_a_file(tmp_path, monkeypatch, check_result, make_report):
    path, report, seen = tmp_path / "report.json", make_report(check_result()), []
    path.write_text("old")
    replace = os.replace

    def look_then_replace(source, target):
        seen.append(path.read_text("utf-8"))
        replace(source, target)

    monkeypatch.setattr(os, "replace", look_then_replace)
    json_file.write(report, path)

    assert seen == ["old"]
    assert path.read_text("utf-8") == json_file.to_json(report)


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_others_may_read_the_file_as_the_umask_says(tmp_path, check_result, make_report):
    before = os.umask(0o022)
    try:
        json_file.write(make_report(check_result()), tmp_path / "report.json")
    finally:
        os.umask(before)

    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o644


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path, check_result, make_report):
    with pytest.raises(OSError, match=re.escape("report.json")):
        json_file.write(make_report(check_result()), tmp_path / "missing" / "report.json")
