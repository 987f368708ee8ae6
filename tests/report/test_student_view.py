"""What students see: as much as the hints allow, and of a hidden check its section only."""

from __future__ import annotations

import json

import pytest

from grader.errors import Outcome
from grader.report import json_file
from grader.report.models import Frame, NamedMistake, Timing
from grader.report.student_view import everything_shown, for_students

SECRET = "SECRET"


@pytest.fixture
def failed(check_result, finding):
    def make(id="rope.dtype", **changes):
        details = finding(
            f"It differs: {SECRET}.",
            arguments={"name": "apply_rope", "expected": SECRET, "actual": SECRET},
            evidence={"where: heads": SECRET},
            mistakes=["rope.sign"],
            case=SECRET,
            expected={"en": SECRET, "zh": SECRET},
            got={"en": SECRET, "zh": SECRET},
            where={"en": SECRET, "zh": SECRET},
            why={"en": "The sign.", "zh": "符号。"},
            next={"en": "Look.", "zh": "看。"},
            frames=[Frame(file="assignment1/rope.py", line=3, function="apply_rope", text="return x")],
        )
        return check_result(id, Outcome.FAIL, finding=details, **changes)

    return make


def mistake(*checks):
    return NamedMistake(id="rope.sign", text={"en": "The sign.", "zh": "符号。"}, checks=list(checks))


def as_json(report):
    return json_file.to_json(report)


@pytest.mark.parametrize("hints", [1, 2])
def test_without_the_third_hint_no_value_is_shown(hints, failed, make_report):
    report = make_report(failed(hints=hints), mistakes=[mistake("rope.dtype")])

    seen = for_students(report)

    finding = seen.checks[0].finding
    assert SECRET not in as_json(seen)
    assert finding.text["en"] == "apply_rope returns wrong values."
    assert finding.text["zh"] == "apply_rope 返回的数值不对。"
    assert [frame.line for frame in finding.frames] == [3]  # their own code is no secret
    assert finding.next == {"en": "Look.", "zh": "看。"}


def test_the_first_hint_is_the_symptom_and_the_second_the_name(failed, make_report):
    first = for_students(make_report(failed(hints=1), mistakes=[mistake("rope.dtype")]))
    second = for_students(make_report(failed(hints=2), mistakes=[mistake("rope.dtype")]))

    assert (first.mistakes, first.checks[0].finding.mistakes, first.checks[0].finding.why) == ([], [], {})
    assert [one.id for one in second.mistakes] == ["rope.sign"]
    assert second.checks[0].finding.why["en"] == "The sign."


def test_the_third_hint_is_everything(failed, make_report):
    report = make_report(failed(hints=3), mistakes=[mistake("rope.dtype")])

    assert for_students(report) == report


def test_what_the_submission_itself_said_is_shown_at_every_level(check_result, finding, make_report):
    said = finding("apply_rope raised TypeError: mine", message="call.raised", arguments={"name": "f", "type": "E"})
    report = make_report(check_result(outcome=Outcome.STUDENT_ERROR, finding=said, hints=1))

    assert for_students(report).checks[0].finding.text["en"] == "apply_rope raised TypeError: mine"


def test_of_a_hidden_check_the_section_and_the_outcome_are_left(failed, make_report):
    hidden = failed(SECRET, hidden=True, title={"en": SECRET, "zh": SECRET}, carried_from=[SECRET], blocked_by=[SECRET])
    timing = Timing(started="2026-01-01T00:00:00+00:00", total=1.0, diagnosis=0.0, checks={SECRET: 1.0, "a": 2.0})
    report = make_report(
        hidden, mistakes=[mistake(SECRET)], selected=[SECRET], error=SECRET, naming_error=SECRET, timing=timing
    )

    seen = for_students(report)

    assert SECRET not in as_json(seen)
    assert seen.mistakes == []  # nothing that may be shown shows it
    assert (seen.checks[0].outcome, seen.checks[0].section, seen.checks[0].max_points) == (Outcome.FAIL, "4.4", 2)
    assert seen.score == report.score
    assert json.loads(as_json(seen))["timing"]["checks"] == {"a": 2.0}


def test_where_something_is_hidden_the_seed_is_too(failed, check_result, make_report):
    assert for_students(make_report(check_result(), seed=77)).seed == 77
    assert for_students(make_report(check_result(hidden=True), seed=77)).seed is None


def test_a_mistake_stays_where_an_open_check_shows_it(failed, make_report):
    report = make_report(failed(), failed(SECRET, hidden=True), mistakes=[mistake("rope.dtype", SECRET)])

    assert [one.checks for one in for_students(report).mistakes] == [["rope.dtype"]]


def test_everything_shown_hides_nothing(failed, make_report):
    report = everything_shown(make_report(failed(hidden=True, hints=1), seed=77))

    assert (report.checks[0].hidden, report.seed) == (False, 77)
    assert SECRET in as_json(report)
