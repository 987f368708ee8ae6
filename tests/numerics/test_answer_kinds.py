"""Answers to some of the tokens, whole numbers, and gradients by name."""

import math
from dataclasses import replace

import pytest
import torch

from grader.errors import CheckFailure
from grader.numerics.answer import Answer, Gradients, WholeNumbers


def gradient(value):
    truth = torch.tensor([value], dtype=torch.float64)
    return Answer(truth, torch.full_like(truth, 1e-3), torch.float32, "D", "f")


@pytest.fixture
def right():
    return torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])


@pytest.fixture
def expected(right):
    return Answer(right.double(), torch.full_like(right, 1e-3).double(), torch.float32, "B T D", "the_function")


def test_tokens_restricts_truth_and_bound(expected, right):
    expected.tokens(1, 2).accepts(right[:, 1:2])

    for actual, message in ((right[:, 1:2], r"values\.differ"), (right, r"values\.shape")):
        with pytest.raises(CheckFailure, match=message):
            expected.tokens(0, 1).accepts(actual)


@pytest.mark.parametrize("first", [math.nan, 100.0])
def test_tokens_before_the_start_do_not_count(first, expected, right):
    whole = torch.cat((torch.full((1, 1, 2), first), right), dim=1)

    expected.accepts_from(whole, 1)

    with pytest.raises(CheckFailure, match="values"):
        expected.accepts_from(whole.flip(1), 1)


@pytest.mark.parametrize("shape", [(), (3,), (1, 2, 2), (1, 4, 2), (2, 3, 2), (1, 3, 2, 1)])
def test_an_answer_from_a_token_on_still_asks_for_the_whole_shape(shape, expected):
    with pytest.raises(CheckFailure, match=r"values\.shape") as caught:
        expected.accepts_from(torch.ones(shape), 1)

    assert (caught.value.arguments["expected"], caught.value.arguments["actual"]) == ([1, 3, 2], list(shape))


def test_ratio_is_one_at_the_bound():
    one = replace(gradient(1.0), limit=torch.tensor([2.0**-10], dtype=torch.float64), dtype=torch.float64)

    assert one.ratio(torch.tensor([1 + 2.0**-10], dtype=torch.float64)) == 1
    assert one.ratio(torch.tensor([1.0], dtype=torch.float64)) == 0


@pytest.mark.parametrize(("value", "passes"), [(7, False), (8, True), (12, True), (14, False), (16, True), (20, False)])
def test_whole_numbers_lie_in_the_range_and_are_multiples(value, passes):
    wanted = WholeNumbers([8], [17], "f", multiple_of=4)

    if passes:
        wanted.accept([value])
    else:
        with pytest.raises(CheckFailure, match=r"values\.whole-number") as caught:
            wanted.accept([value])
        assert caught.value.arguments == {"name": "f", "expected": "8 .. 17, a multiple of 4", "actual": [value]}


def test_exact_whole_numbers_are_shown_as_a_list():
    with pytest.raises(CheckFailure) as caught:
        WholeNumbers([0, 3], [0, 3], "f").accept([0, 4])

    assert caught.value.arguments["expected"] == "[0, 3]"


def test_a_missing_gradient_is_named():
    wanted = Gradients({"x": gradient(1.0), "w": gradient(2.0)})

    wanted.accepts({"x": torch.tensor([1.0]), "w": torch.tensor([2.0])})

    for given in ({"x": torch.tensor([1.0]), "w": None}, {"x": torch.tensor([1.0])}):
        with pytest.raises(CheckFailure, match=r"gradients\.none") as caught:
            wanted.accepts(given)
        assert caught.value.arguments["source"] == "w"


def test_a_wrong_gradient_fails_like_any_answer():
    wanted = Gradients({"x": gradient(1.0)})

    with pytest.raises(CheckFailure, match=r"values\.differ"):
        wanted.accepts({"x": torch.tensor([-1.0])})
