"""When a mistake gets a name, and when it gets none."""

from __future__ import annotations

import pytest
from mistaken_texts import HALF_SPLIT

import grader.pytest_run
import grader.session
from grader.catalogue import all_checks
from grader.diagnosis.mistakes import all_mistakes
from grader.diagnosis.mistakes.registry import Mistake
from grader.diagnosis.records import CheckRecord
from grader.diagnosis.replay import Replays
from grader.diagnosis.search import Search
from grader.errors import Outcome
from grader.live import LiveSource
from grader.plugin import GraderPlugin
from grader.run_state import RunState

TWO_MISTAKES = """
def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(head_dim)
    return base ** torch.linspace(0, 1, head_dim // 2, dtype=torch.float32)
"""
NEVER_SEEN_BEFORE = """
def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(head_dim)
    return torch.cos(torch.arange(head_dim // 2, dtype=torch.float32) * 1.7) ** 2
"""
ROPE = ["rope.frequencies", "rope.cos-sin-values", "rope.adjacent-pairs", "rope.odd-width", "rope.base"]


@pytest.fixture
def records(settings, warm_runner, monkeypatch):
    """What the search is given for a submission."""

    def of(submission, selected):
        run = RunState(warm_runner, submission.files)
        plugin = GraderPlugin(run, settings, LiveSource(1), set(selected))
        error = grader.pytest_run.run_checks(plugin, 100)
        run.close()
        assert error is None
        return [
            CheckRecord(check, plugin.results[check].outcome is Outcome.PASS, plugin.transcripts[check])
            for check in all_checks()
            if check in selected
        ]

    return of


@pytest.fixture
def rope_checks():
    return [check for check in all_checks() if check.startswith("rope.")]


def found(records, known=None):
    return {mistake.id for mistake in Search(records, Replays(known)).run().mistakes}


def test_one_mistake_is_named(records, submission_with, rope_checks):
    assert found(records(submission_with(rope=HALF_SPLIT), rope_checks)) == {"rope.half_split"}


def test_two_mistakes_in_one_line_are_both_named(records, submission_with, rope_checks):
    both = records(submission_with(rope="import torch\n" + TWO_MISTAKES), rope_checks)

    assert found(both) == {"rope.freq_exponent", "rope.freq_inverted"}


def test_a_mistake_that_nobody_has_a_model_of_gets_no_name(records, submission_with, rope_checks):
    assert found(records(submission_with(rope="import torch\n" + NEVER_SEEN_BEFORE), rope_checks)) == set()


def test_no_name_without_its_model(records, submission_with, rope_checks):
    known = {id: one for id, one in all_mistakes().items() if not id.startswith("rope.half_split")}

    assert found(records(submission_with(rope=HALF_SPLIT), rope_checks), known) == set()


def test_nothing_is_named_for_a_correct_submission(records, submission_with, rope_checks):
    assert found(records(submission_with(), rope_checks)) == set()


def test_two_models_that_cannot_be_told_apart_give_no_name(records, submission_with, rope_checks):
    half_split = all_mistakes()["rope.half_split"]
    copied = type("Twin", half_split.steps.__bases__, dict(vars(half_split.steps)))
    twin = Mistake("rope.twin", "rope", "The same again.", copied)
    known = {"rope.half_split": half_split, "rope.twin": twin}

    assert found(records(submission_with(rope=HALF_SPLIT), rope_checks), known) == set()


def test_a_fault_in_the_search_costs_the_names_and_not_the_grade(settings, warm_runner, submission_with, monkeypatch):
    def broken(results, transcripts, lend, source):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(grader.session, "named_mistakes", broken)
    report = grader.session.grade(
        submission_with(rope=HALF_SPLIT), warm_runner, settings, seed=1, selected=["rope.adjacent-pairs", "rope.base"]
    )

    assert report.graded
    assert report.score is not None
    assert report.naming_error == "RuntimeError: no such luck"
    assert report.mistakes == []
