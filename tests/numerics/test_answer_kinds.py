"""Answers that are no single tensor: whole numbers, and gradients by name."""

import pytest
import torch

from grader.errors import CheckFailure
from grader.numerics.answer import Answer, Gradients, WholeNumbers


def gradient(value):
    truth = torch.tensor([value], dtype=torch.float64)
    return Answer(truth, torch.full_like(truth, 1e-3), torch.float32, "D", "f")


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
