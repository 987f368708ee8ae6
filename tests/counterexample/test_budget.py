"""What the searches of one submission cost, and that what they cost decides nothing but how small examples are."""

from __future__ import annotations

import bank_loader
import pytest

from grader.counterexample import attach, search
from grader.session import grade

CHECKS = ["cache.append-order", "cache.shapes", "cache.dtype", "cache.independent", "gqa.decode-continues"]


@pytest.fixture
def searched(warm_runner, settings, monkeypatch):
    """Grades a bank entry; returns its examples and what each search cost, in order."""

    def run(name, checks):
        spent, searching = [], search.Search.run

        def watched(one):
            found = searching(one)
            spent.append(one.spent)
            return found

        monkeypatch.setattr(attach.Search, "run", watched)
        entry = next(one for one in bank_loader.entries("wrong") if one.name == name)
        report = grade(entry.submission(), warm_runner, settings, seed=5, selected=checks)
        return [check.finding.example for check in report.checks if check.finding is not None], spent

    return run


def test_what_had_to_be_asked_before_once_is_asked_first_in_the_next_check(searched):
    examples, spent = searched("cache_shared_by_all", CHECKS)

    assert None not in examples
    assert len(spent) == len(CHECKS)
    assert sum(one > 4 * search.FRESH for one in spent) <= 2  # the first of the cache's own checks, and of the module's


def test_an_example_of_what_is_remembered_keeps_a_call_before(searched):
    examples, _ = searched("cache_shared_by_all", ["cache.append-order"])

    assert examples[0].snippet.count(".append(") == 2
    assert examples[0].numbers <= 6


def test_searches_after_plenty_was_spent_cost_less_and_still_find_one(searched, monkeypatch):
    monkeypatch.setattr(search, "PLENTY", 0)

    examples, spent = searched("norm_fast_inverse_root", ["norm.rmsnorm-values", "block.residual"])

    assert None not in examples
    assert max(spent) <= search.MOST // search.LESS + search.FRESH
