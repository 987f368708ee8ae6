"""Each format as its platform reads it: independent readers, schemas, and the rules of the platforms' own documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import junitparser
import made_reports as made
import pytest
from exported import RUNNER, TEXTS, not_graded, whole_report

from grader.errors import Outcome, UsageError
from grader.exports import classroom50, github, gradescope, markdown, prairielearn

CTRF = jsonschema.Draft202012Validator(json.loads(Path(__file__).with_name("ctrf.schema.json").read_text("utf-8")))


# -- Gradescope --------------------------------------------------------------------------------------------------


def test_gradescope_gets_the_score_and_the_same_sum_of_points(report):
    values = gradescope.values(report, "en")

    assert values["score"] == 5
    assert sum(test["score"] for test in values["tests"]) == 5
    assert sum(test["max_score"] for test in values["tests"]) == 9
    assert values["stdout_visibility"] == "hidden"


def test_gradescope_shows_every_test_with_a_status_of_its_own(report):
    tests = {test["name"].partition(":")[0]: test for test in gradescope.values(report, "en")["tests"]}

    assert {test["visibility"] for test in tests.values()} == {"visible"}
    assert tests["gqa.heads"]["status"] == "failed"  # 0 of 0 points would be shown as passed
    assert tests["advice.style"]["status"] == "failed"
    assert tests["gqa.cache"]["status"] == "passed"
    assert all(isinstance(test["output"], str) for test in tests.values())
    assert len({test["number"] for test in tests.values()}) == len(tests)


def test_gradescope_formats_are_all_plain_text(report):
    values = gradescope.values(report, "en")

    assert {values[name] for name in values if name.endswith("_format")} == {"text"}


# -- PrairieLearn ------------------------------------------------------------------------------------------------


def test_prairielearn_gets_a_share_and_points_by_test(report):
    values = prairielearn.values(report, "en")

    assert values["gradable"] is True
    assert values["score"] == 5 / 9
    assert sum(test["points"] for test in values["tests"]) == 5


@pytest.mark.parametrize("nothing", [not_graded(), made.make_report()])
def test_prairielearn_takes_no_attempt_for_what_has_no_grade(nothing):
    values = prairielearn.values(nothing, "en")

    assert values["gradable"] is False
    assert "score" not in values
    assert values["format_errors"]


@pytest.mark.parametrize(("checks", "text"), [(100, 19_000), (3000, 500), (20_000, 10)])
def test_prairielearn_files_stay_below_a_megabyte(checks, text):
    results = [
        made.check_result(f"area.check-{number}", Outcome.FAIL, finding=made.finding("界" * text))
        for number in range(checks)
    ]

    values = prairielearn.values(made.make_report(*results), "zh")

    assert len(json.dumps(values, ensure_ascii=False, indent=1).encode()) <= 1_000_000
    assert values["score"] == 0
    assert "report.json" in values["output"]


# -- Classroom 50 ------------------------------------------------------------------------------------------------


def test_classroom50_gets_whole_points_and_names_with_hyphens(report):
    values = classroom50.values(report, "en", RUNNER)

    assert values["schema"] == "classroom50/result/v1"
    assert (values["score"], values["max-score"]) == (5, 9)
    assert {type(value) for test in values["tests"] for name, value in test.items() if "score" in name} == {int}
    assert sum(test["score"] for test in values["tests"]) == values["score"]
    assert sum(test["max-score"] for test in values["tests"]) == values["max-score"]
    assert {"test-name", "passed", "score", "max-score"} <= set(values["tests"][0])


def test_classroom50_says_what_the_runner_said(report):
    values = classroom50.values(report, "en", RUNNER)

    assert {name: values[name] for name in classroom50.VARIABLES} == {
        name: RUNNER[variable] for name, variable in classroom50.VARIABLES.items()
    }


def test_classroom50_keeps_the_time_at_which_it_was_handed_in(report):
    again = {**RUNNER, "SUBMISSION_TAG": "by-hand"}

    assert classroom50.values(report, "en", RUNNER)["datetime"] == "2026-06-01T14:32:05Z"
    assert classroom50.values(report, "en", again)["datetime"] == "2026-01-01T00:00:00Z"


def test_classroom50_needs_its_runner(report):
    with pytest.raises(UsageError, match="CLASSROOM, ASSIGNMENT, SUBMISSION_TAG, COMMIT_URL, RELEASE_URL, REVIEW_URL"):
        classroom50.values(report, "en", {})

    first = {name: value for name, value in RUNNER.items() if name != "REVIEW_URL"}
    assert classroom50.values(report, "en", first)["review"] == RUNNER["COMMIT_URL"]


# -- JUnit -------------------------------------------------------------------------------------------------------


def junit_of(report):
    return junitparser.JUnitXml.fromstring(TEXTS["junit"](report, "en").encode())


def test_junit_is_read_by_others(report):
    (suite,) = list(junit_of(report))

    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (8, 2, 0, 3)
    assert {case.classname for case in suite} == {"norm", "rope", "gqa", "advice", "hidden"}
    assert {prop.name: prop.value for prop in suite.properties()}["score"] == "5"


def test_junit_counts_are_those_of_its_cases(report):
    tree = ElementTree.fromstring(TEXTS["junit"](report, "en"))

    counted = Counter(part.tag for case in tree.iter("testcase") for part in case)
    for place in (tree, tree.find("testsuite")):
        assert int(place.get("tests")) == len(list(tree.iter("testcase")))
        assert [int(place.get(name)) for name in ("failures", "errors", "skipped")] == [
            counted[tag] for tag in ("failure", "error", "skipped")
        ]


def test_junit_tells_our_faults_from_theirs(report):
    ours = [result for case in next(iter(junit_of(not_graded()))) for result in case.result]
    theirs = [result for case in next(iter(junit_of(report))) for result in case.result]

    assert Counter(type(result).__name__ for result in ours) == {"Error": 1, "Skipped": 2}
    assert Counter(type(result).__name__ for result in theirs) == {"Failure": 2, "Skipped": 3}
    assert {result.type for result in theirs if isinstance(result, junitparser.Failure)} == {"fail", "failed"}


def test_junit_names_are_unique_though_promises_are_not():
    checks = [made.check_result(f"rope.{letter}", hidden=True) for letter in "abc"]

    cases = list(next(iter(junit_of(made.make_report(*checks)))))

    assert len({case.name for case in cases}) == 3


# -- CTRF --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "report", [whole_report(), not_graded(), made.make_report()], ids=["whole", "not graded", "empty"]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_ctrf_follows_its_schema(report, language):
    values = json.loads(TEXTS["ctrf"](report, language))

    CTRF.validate(values)
    summary = values["results"]["summary"]
    counted = Counter(test["status"] for test in values["results"]["tests"])
    assert {name: summary[name] for name in counted} == counted
    assert summary["tests"] == counted.total()


def test_ctrf_statuses_and_points(report):
    tests = {
        test["name"].partition(":")[0]: test for test in json.loads(TEXTS["ctrf"](report, "en"))["results"]["tests"]
    }

    assert {name: test["status"] for name, test in tests.items()} == {
        "norm.values": "passed",
        "rope.base": "failed",
        "gqa.cache": "passed",
        "gqa.heads": "skipped",
        "gqa.device": "skipped",
        "advice.style": "other",
        "hidden-4.4-1": "failed",
        "hidden-4.4-2": "passed",
    }
    assert tests["rope.base"]["extra"] == {"points": 0, "max_points": 2, "mistakes": ["rope.half_split"]}
    assert tests["rope.base"]["filePath"] == "assignment1/rope.py"


@pytest.mark.parametrize("change", [{"status": "green"}, {"duration": 0.5}, {"color": 1}, {"suite": []}])
def test_the_schema_of_ctrf_refuses_what_is_wrong(change, report):
    values = json.loads(TEXTS["ctrf"](report, "en"))
    values["results"]["tests"][0].update(change)

    assert not CTRF.is_valid(values)


# -- GitHub ------------------------------------------------------------------------------------------------------


def test_annotations_point_into_the_students_file(report):
    lines = github.log_lines(report, "en")

    assert lines[0] == ("::error file=assignment1/rope.py,line=12,title=rope.half_split::Pairs halves.")
    assert lines[1].startswith("::error title=hidden-4.4-1::A hidden check failed")
    assert len(lines) == 2


def test_there_are_ten_annotations_at_the_most():
    checks = [made.check_result(f"rope.c{number}", Outcome.FAIL, finding=made.finding()) for number in range(25)]

    lines = github.log_lines(made.make_report(*checks), "en")

    assert len(lines) == 10
    assert lines[-1] == "::error title=Assignment 1::16 more in the step summary."


def test_an_annotation_is_one_order_whatever_it_says():
    frame = made.finding("100%\r\nnew: line, here\n::error::x", [])
    mistake = made.mistake("a:b,c\n%", "rope.base", text="say 100%\n::error::forged")
    report = made.make_report(made.check_result("rope.base", Outcome.FAIL, finding=frame), mistakes=[mistake])

    (line,) = github.log_lines(report, "en")

    assert line == "::error title=a%3Ab%2Cc%0A%25::say 100%25%0A::error::forged"


def test_a_fence_ends_with_a_word_that_nobody_could_guess():
    first, second = github.fenced("x\n"), github.fenced("x\n")

    token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})\nx\n::\1::\n", first)
    assert token
    assert first != second


def test_outputs_of_a_step(report):
    assert github.outputs(report) == "status=fail\nsummary=5/9\n"
    assert github.outputs(not_graded()) == "status=error\nsummary=-/4\n"
    assert github.outputs(made.make_report(made.check_result())) == "status=pass\nsummary=2/2\n"


@pytest.mark.parametrize("room", [100, 1000, 3000, 1024 * 1024])
def test_a_summary_stays_within_its_room(room):
    checks = [
        made.check_result(f"rope.c{number}", Outcome.FAIL, finding=made.finding("界" * 900)) for number in range(900)
    ]
    report = made.make_report(*checks)

    text = markdown.to_markdown(report, "zh", room=room)

    assert len(text.encode()) <= room
    assert ("report\\.json" in text or "report.json" in text) is (room >= 1000) or room == 100


def test_a_summary_without_room_says_nothing_half(report):
    assert markdown.to_markdown(report, "en", room=10) == ""
