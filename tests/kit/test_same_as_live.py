"""With the same seed, a key and the live oracle judge a submission alike: outcomes, points, names, sentences."""

from __future__ import annotations

import pytest
from bank_loader import BANK
from kit_course import PUBLIC, SEED

from grader import settings
from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.key.reader import read
from grader.key.source import KeyedSource
from grader.selftest.bank import Bank
from grader.session import grade

AREAS = ("norm", "rope", "gqa")
ENTRIES = [
    *[entry for entry in Bank(BANK).wrong() if entry.area in AREAS],
    *list(Bank(BANK).correct())[:4],
]


PAIRS = [entry for entry in Bank(BANK).pairs() if {fault.partition(".")[0] for fault in entry.faults} <= set(AREAS)]


@pytest.fixture(scope="module")
def key(kit):
    return read(kit / "grader" / "key")


def named(entries):
    return [pytest.param(entry, id=entry.name) for entry in entries]


@pytest.mark.bank
@pytest.mark.parametrize("entry", named(ENTRIES))
def test_a_submission_is_judged_alike(entry, key, course, warm_runner):
    loaded = settings.load(course, all_checks())

    live = grade(entry.submission, warm_runner, loaded, seed=SEED, selected=PUBLIC, examples=False)
    keyed = grade(entry.submission, warm_runner, loaded, seed=SEED, selected=PUBLIC, source=KeyedSource(key))

    assert live.graded
    assert keyed.naming_error is None
    assert judged(keyed) == judged(live)


@pytest.mark.bank
@pytest.mark.parametrize("entry", named(PAIRS))
def test_two_mistakes_at_once_fail_the_same_checks_and_get_no_wrong_name(entry, key, course, warm_runner):
    """In a course of so few checks pairs that look alike are not always told apart; with a key, by fewer numbers."""
    loaded = settings.load(course, all_checks())

    live = grade(entry.submission, warm_runner, loaded, seed=SEED, selected=PUBLIC)
    keyed = grade(entry.submission, warm_runner, loaded, seed=SEED, selected=PUBLIC, source=KeyedSource(key))

    assert [check.outcome is Outcome.PASS for check in keyed.checks] == [
        check.outcome is Outcome.PASS for check in live.checks
    ]
    assert {one.id for one in live.mistakes} <= {one.id for one in keyed.mistakes} <= entry.faults


def judged(report):
    checks = {
        check.id: (
            check.outcome,
            check.points,
            check.finding and (check.finding.mistakes, check.finding.text),
        )
        for check in report.checks
    }
    return report.error, report.score, report.mistakes, checks
