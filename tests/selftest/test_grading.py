"""What the self-test takes from a report."""

from __future__ import annotations

import bank_loader
import pytest

from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank
from grader.selftest.run import grade_one


@pytest.mark.bank
def test_a_check_that_needs_a_device_is_no_failure_where_there_is_none(warm_runner, monkeypatch):
    monkeypatch.setattr("grader.selftest.run._runner", warm_runner)
    plain = next(one for one in Bank(bank_loader.BANK).correct() if one.name == bank_loader.BASE)

    graded = grade_one((plain, 1), LocalRunner)

    assert (graded.error, graded.failed, graded.lost) == (None, frozenset(), 0)
