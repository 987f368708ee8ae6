"""Whatever comes back from the worker instead of an answer is the submission's fault, never the grader's error."""

from __future__ import annotations

import fnmatch

import pytest

from grader.diagnosis.mistakes import all_mistakes
from grader.errors import Outcome
from grader.session import grade

pytestmark = pytest.mark.bank

ODD = [
    "None",
    "True",
    "0",
    "2**62",
    "float('nan')",
    "'text'",
    "[]",
    "[None, None]",
    "{}",
    "{'opaque': 7}",
    "Handle(1)",
    "RawTensor('float32', (), bytes(4))",
    "RawTensor('float32', (0,), b'')",
    "RawTensor('float32', (2**32 - 1, 0), b'')",
    "RawTensor('float32', (2, 5, 6), bytes(240))",
    "RawTensor('float32', (1,) * 8, bytes(4))",
    "RawTensor('float64', (2, 5, 6), b'\\xff' * 480)",
    "RawTensor('float16', (2, 5, 2, 4), bytes(160))",
    "RawTensor('bfloat16', (4, 8, 64), bytes(4096))",
    "RawTensor('int64', (3,), bytes(24))",
    "RawTensor('bool', (2, 5, 6), b'\\7' * 60)",
    "[RawTensor('float32', (1, 5, 1, 2), bytes(40)), RawTensor('int8', (7,), bytes(7))]",
]
PATCH = """
import sys
from grader.wire.codec import Handle, RawTensor
sys.modules["grader.worker.serve"].to_wire = lambda value: {odd}
"""
LOOKS_AT_NO_ANSWER = ("*.errors", "rope.frequency-errors", "advice.error-messages", "*.parameters")


@pytest.fixture(autouse=True)
def _few_names(monkeypatch):
    """One known mistake a part: odd answers go through the diagnosis too, but nearly every check fails here."""
    few = {mistake.part: mistake for mistake in all_mistakes().values()}
    monkeypatch.setattr("grader.diagnosis.replay.all_mistakes", lambda: {one.id: one for one in few.values()})


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_answer_fails_the_check_that_asked(odd, warm_runner, settings, submission_with):
    submission = submission_with(extra={"assignment1/__init__.py": PATCH.format(odd=odd)})

    report = grade(submission, warm_runner, settings, seed=5)

    passed = {check.id for check in report.checks if check.outcome is Outcome.PASS}
    exempt = {check for pattern in LOOKS_AT_NO_ANSWER for check in fnmatch.filter(passed, pattern)}
    assert report.graded, report.error
    assert exempt
    assert passed == exempt
