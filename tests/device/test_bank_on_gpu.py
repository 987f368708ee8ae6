"""The bank on a pretended GPU: correct submissions pass there, and each mistake of devices fails the check it names."""

from __future__ import annotations

import bank_loader
import pytest

from grader.devices import needs_gpu
from grader.errors import Outcome
from grader.session import grade

pytestmark = pytest.mark.bank

CORRECT, PARTS = bank_loader.correct(), bank_loader.entries("correct_parts")
MISTAKES = bank_loader.entries("device")
SHOWN_HERE = [entry for entry in MISTAKES if entry.only_on_hardware is None]


def named(items):
    return [pytest.param(item, id=item.name) for item in items]


def lost(report):
    """The graded checks without their points, each with its sentence."""
    return {
        check.id: check.finding.text["en"] if check.finding else str(check.outcome)
        for check in report.checks
        if not check.advice and check.points < check.max_points
    }


@pytest.mark.parametrize("submission", named(CORRECT))
def test_a_correct_submission_gets_every_point_on_a_gpu(submission, graded_on_gpu):
    report = graded_on_gpu(submission)

    assert lost(report) == {}
    assert (report.score, report.max_score) == (110, 110)


@pytest.mark.parametrize("entry", named(PARTS))
def test_a_correct_part_keeps_the_rules_of_devices(entry, graded_on_gpu, settings):
    report = graded_on_gpu(entry.submission(), [*settings.device_points])

    assert lost(report) == {}
    assert report.max_score == 10


@pytest.mark.parametrize("entry", named(SHOWN_HERE))
def test_a_mistake_of_devices_fails_the_check_that_it_names(entry, graded_on_gpu, settings):
    report = graded_on_gpu(entry.submission(), [*settings.device_points, *entry.killed_by])

    assert entry.killed_by - set(lost(report)) == set()


@pytest.mark.parametrize("entry", named(MISTAKES))
def test_a_mistake_of_devices_cannot_be_seen_on_a_cpu(entry, warm_runner, settings):
    report = grade(entry.submission(), warm_runner, settings, seed=3, examples=False)

    assert lost(report) == {}
    assert (report.score, report.max_score) == (100, 100)
    assert [check.id for check in report.checks if check.outcome is Outcome.SKIPPED] == [*settings.device_points]


def test_there_are_enough_mistakes_and_each_check_of_devices_has_one():
    killed = set().union(*(entry.killed_by for entry in SHOWN_HERE))

    assert len(SHOWN_HERE) >= 12
    assert all(entry.only_on_hardware for entry in MISTAKES if entry not in SHOWN_HERE)
    assert {check for check in killed if needs_gpu(check)} == {
        "device.output",
        "device.tables",
        "device.module-to",
        "device.no-round-trip",
        "device.positions",
        "device.defaults",
    }
