"""What a report says: points are all or nothing, and what was not graded has no score."""

import pytest
from pydantic import ValidationError

from grader.errors import EARNING, Outcome
from grader.report.models import CheckResult

WITHOUT_POINTS = [outcome for outcome in Outcome if outcome not in EARNING]
UNFINISHED = (Outcome.NOT_RUN, Outcome.GRADER_ERROR)


def test_a_check_starts_as_not_run_and_without_points(check_result):
    fields = check_result().model_dump(exclude={"outcome", "points"})

    result = CheckResult(**fields)

    assert result.outcome is Outcome.NOT_RUN
    assert result.points == 0


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.CARRIED_FORWARD])
def test_a_check_that_passes_or_is_carried_forward_earns_all_its_points(outcome, check_result):
    assert check_result(outcome=outcome, max_points=3).points == 3


@pytest.mark.parametrize("outcome", WITHOUT_POINTS)
def test_no_other_outcome_earns_a_point(outcome, check_result):
    assert check_result(outcome=outcome, max_points=3).points == 0


def test_a_check_without_its_device_is_no_failure_and_does_not_count(check_result):
    skipped = check_result(outcome=Outcome.SKIPPED, max_points=0)

    assert (skipped.is_graded, skipped.objects) == (False, False)
    assert check_result(outcome=Outcome.PASS).is_graded
    assert [outcome for outcome in Outcome if not check_result(outcome=outcome).objects] == [
        Outcome.PASS,
        Outcome.SKIPPED,
    ]


def test_the_score_is_the_sum_of_points(check_result, make_report):
    passed, failed = check_result("rope.base", max_points=3), check_result("rope.dtype", Outcome.FAIL, max_points=4)

    report = make_report(passed, failed)

    assert (report.graded, report.score, report.max_score) == (True, 3, 7)


@pytest.mark.parametrize("outcome", UNFINISHED)
def test_a_check_without_a_verdict_leaves_the_report_without_a_score(outcome, check_result, make_report):
    report = make_report(check_result("rope.base"), check_result("rope.dtype", outcome))

    assert (report.graded, report.score) == (False, None)


@pytest.mark.parametrize("outcome", [outcome for outcome in WITHOUT_POINTS if outcome not in UNFINISHED])
def test_every_other_outcome_is_a_verdict(outcome, check_result, make_report):
    assert make_report(check_result(outcome=outcome)).score == 0


def test_an_error_of_ours_leaves_the_report_without_a_score(check_result, make_report):
    report = make_report(check_result(), error="the worker did not start")

    assert (report.graded, report.score, report.max_score) == (False, None, 2)


@pytest.mark.parametrize("field", ["score", "graded", "note"])
def test_unknown_fields_are_refused(field, make_report):
    with pytest.raises(ValidationError, match=field):
        make_report(**{field: 100})


def test_a_score_cannot_be_given(check_result):
    with pytest.raises(ValidationError, match="points"):
        check_result(points=2)


@pytest.mark.parametrize("schema_version", [0, 2, "1"])
def test_a_report_of_another_version_is_refused(schema_version, make_report):
    with pytest.raises(ValidationError, match="schema_version"):
        make_report(schema_version=schema_version)
