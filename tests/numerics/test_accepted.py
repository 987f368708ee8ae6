"""What was accepted once is accepted again, and nothing else is."""

from __future__ import annotations

import pytest
import torch

from grader.errors import CheckFailure
from grader.numerics import answer
from grader.numerics.accepted import Accepted, comparison
from grader.numerics.answer import Answer


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setattr(answer, "_accepted", Accepted())


def expected(truth: torch.Tensor, bound: float = 1e-6, dtype: torch.dtype = torch.float32) -> Answer:
    return Answer(truth.double(), torch.full(truth.shape, bound, dtype=torch.float64), dtype, "T D", "f")


def test_the_second_time_nothing_is_computed(monkeypatch):
    actual = torch.randn(3, 4)
    expected(actual).accepts(actual)
    monkeypatch.setattr(answer, "excess", None)

    expected(actual).accepts(actual.clone())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda x: x + torch.eye(3, 4) * 1e-3, id="one element apart"),
        pytest.param(lambda x: torch.full_like(x, float("nan")), id="not finite"),
        pytest.param(lambda x: x.double(), id="the same numbers in another dtype"),
        pytest.param(lambda x: x.reshape(4, 3), id="the same bits in another shape"),
    ],
)
def test_what_was_accepted_lets_nothing_else_pass(other):
    actual = torch.randn(3, 4)
    right = expected(actual)
    right.accepts(actual)

    with pytest.raises(CheckFailure):
        right.accepts(other(actual))


def test_the_same_bits_are_wrong_under_a_narrower_bound_and_beside_another_truth():
    actual = torch.ones(2, 2)
    expected(actual + 1e-3, bound=1e-2).accepts(actual)

    with pytest.raises(CheckFailure):
        expected(actual + 1e-3, bound=1e-6).accepts(actual)
    with pytest.raises(CheckFailure):
        expected(actual + 1e-1, bound=1e-2).accepts(actual)


def test_what_was_refused_is_refused_again():
    wrong, right = torch.zeros(2, 2), expected(torch.ones(2, 2))

    for _ in range(2):
        with pytest.raises(CheckFailure):
            right.accepts(wrong)


def test_a_negative_zero_is_another_number():
    zeros = torch.zeros(2, 2)

    assert comparison(zeros, zeros.double(), zeros.double()) != comparison(-zeros, zeros.double(), zeros.double())


def test_the_least_recently_used_are_forgotten():
    accepted = Accepted(most=2)
    accepted.add(b"1")
    accepted.add(b"2")
    assert b"1" in accepted
    accepted.add(b"3")

    assert (b"1" in accepted, b"2" in accepted, b"3" in accepted) == (True, False, True)
