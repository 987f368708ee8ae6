"""The kill matrix: every correct submission gets every point, and every mistake costs points where it must.

The tests marked ``bank`` grade one submission each, over a second; ``-m "not bank"`` leaves them out.
"""

from pathlib import Path

import bank_loader
import pytest

from grader.catalogue import all_checks
from grader.contract import TITLES
from grader.errors import EARNING, Outcome
from grader.feedback.messages import LANGUAGES
from grader.intake.folder import read
from grader.session import grade

TEMPLATE = Path(__file__).parent.parent / "submissions_template"
SEED = 20260401
WRONG, ADVICE = bank_loader.entries("wrong"), bank_loader.entries("advice")
DEVICE = bank_loader.entries("device")
RIGHT = [*bank_loader.correct(), *(entry.submission() for entry in bank_loader.entries("correct_parts"))]


def named(items):
    return [pytest.param(item, id=item.name) for item in items]


@pytest.fixture
def graded(warm_runner, settings):
    """A function: the report on a submission, which must be a grade."""

    def run(submission, *, examples=False):
        report = grade(submission, warm_runner, settings, seed=SEED, examples=examples)
        assert report.graded, report.error
        assert (report.naming_error, report.examples_error) == (None, None)
        assert {check.id for check in report.checks} == set(settings.worth)
        return report

    return run


def lost(report):
    """The graded checks without their points, each with its sentence."""
    return {
        check.id: check.finding.text["en"] if check.finding else str(check.outcome)
        for check in report.checks
        if not check.advice and check.outcome not in (*EARNING, Outcome.SKIPPED)
    }


def is_explained(check):
    """Whether a failed check says what was expected, what came, where, why (or that nobody knows) and what to do."""
    parts = (check.finding.expected, check.finding.got, check.finding.where, check.finding.why, check.finding.next)
    return check.section in TITLES and all(part.get(language) for part in parts for language in LANGUAGES)


def failed_advice(report):
    return {check.id for check in report.checks if check.advice and check.outcome is not Outcome.PASS}


# -- one submission a test ------------------------------------------------------------------------------------


@pytest.mark.bank
@pytest.mark.parametrize("submission", named(RIGHT))
def test_a_correct_submission_gets_every_point(submission, graded):
    report = graded(submission)

    assert lost(report) == {}
    assert (report.score, report.max_score) == (100, 100)


@pytest.mark.bank
@pytest.mark.parametrize("entry", named(WRONG))
def test_a_mistake_loses_points_at_the_checks_that_look_at_it(entry, graded):
    report = graded(entry.submission(), examples=True)

    assert entry.killed_by - set(lost(report)) == set()
    assert report.score < 100
    assert [check.id for check in report.checks if check.finding is not None and not is_explained(check)] == []


@pytest.mark.bank
@pytest.mark.parametrize("entry", named(ADVICE))
def test_a_habit_to_advise_against_costs_nothing_and_is_named(entry, graded):
    looking = {check.id for check in all_checks().values() if check.advice and entry.fault in check.catches}

    report = graded(entry.submission())

    assert lost(report) == {}
    assert report.score == 100
    assert looking
    assert looking <= failed_advice(report)


def test_the_template_scores_nothing_and_is_graded(graded):
    report = graded(read(TEMPLATE))

    assert report.score == 0
    graded_checks = [check for check in report.checks if not check.advice and check.outcome is not Outcome.SKIPPED]
    assert {check.id for check in graded_checks} == set(lost(report))
    outcomes = {check.outcome for check in graded_checks}
    assert outcomes <= {Outcome.STUDENT_ERROR, Outcome.FAIL, Outcome.BLOCKED}


# -- what the bank holds --------------------------------------------------------------------------------------


def test_no_two_wrong_files_make_the_same_mistake():
    faults = [entry.fault for entry in WRONG + ADVICE if "__" not in entry.name]

    assert sorted(faults) == sorted(set(faults))


@pytest.mark.parametrize("entry", named(WRONG + ADVICE))
def test_a_file_is_named_after_its_mistake_and_changes_a_module_that_exists(entry):
    submission = entry.submission()

    assert entry.name.partition("__")[0] == entry.fault.replace(".", "_")
    assert submission.files != bank_loader.base().files
    assert entry.sentence.endswith(".")


@pytest.mark.parametrize("entry", named(WRONG))
def test_a_wrong_file_names_graded_checks(entry, settings):
    graded_checks = {check for check, points in settings.points.items() if points > 0}

    assert entry.killed_by
    assert entry.killed_by <= graded_checks


def test_advice_files_name_no_check():
    assert [entry.name for entry in ADVICE if entry.killed_by] == []


def test_every_graded_check_is_needed_by_some_mistake(settings):
    killed = set().union(*(entry.killed_by for entry in WRONG))

    assert {check for check, points in settings.points.items() if points > 0} - killed == set()


def test_every_kind_that_a_check_catches_has_a_file():
    caught = {kind for check in all_checks().values() for kind in check.catches}

    assert caught - {entry.fault for entry in WRONG + ADVICE + DEVICE} == set()


def test_every_mistake_is_caught_by_a_check():
    caught = {kind for check in all_checks().values() for kind in check.catches}

    assert {entry.fault for entry in WRONG + ADVICE} - caught == set()
