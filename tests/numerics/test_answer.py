"""A tensor is an answer or it is not: shape, dtype, finite, values, in this order, and never by accident."""

import math
import re

import pytest
import torch

from grader.errors import CheckFailure, Outcome
from grader.feedback import messages
from grader.numerics.answer import Answer


def answer(truth, bound=1e-3, dtype=torch.float32, axes="B T D"):
    truth = torch.as_tensor(truth, dtype=torch.float64)
    return Answer(truth, torch.full(truth.shape, bound, dtype=torch.float64), dtype, axes, "the_function")


def failure(expected, actual, **options):
    with pytest.raises(CheckFailure) as caught:
        expected.accepts(actual, **options)
    return caught.value


@pytest.fixture
def expected():
    return answer([[[1.0, 2.0], [3.0, 4.0]]])


@pytest.fixture
def right():
    return torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])


# -- the order ------------------------------------------------------------------------------------------------


def test_right_values_pass(expected, right):
    expected.accepts(right)
    expected.accepts(right + 5e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[0].double() * math.nan, "values.shape"),
        (lambda x: x.double() * math.nan, "values.dtype"),
        (lambda x: x * torch.tensor([math.nan, 9.0]), "values.not-finite"),
        (lambda x: x + 1, "values.differ"),
    ],
    ids=["shape", "dtype", "finite", "values"],
)
def test_the_first_thing_that_is_wrong_is_said(change, message, expected, right):
    found = failure(expected, change(right))

    assert (found.message, found.outcome) == (message, Outcome.FAIL)


def test_form_alone_asks_nothing_of_finite_values(expected, right):
    expected.has_form(right + 100)


# -- shape ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (2, 2), (1, 1, 1), (1, 2, 1), (1, 1, 2), (1, 1, 2, 2)])
def test_broadcasting_never_hides_a_wrong_shape(shape):
    found = failure(answer(torch.ones(1, 2, 2)), torch.ones(shape))

    assert found.message == "values.shape"
    assert found.arguments == {
        "name": "the_function",
        "axes": "[B, T, D]",
        "expected": [1, 2, 2],
        "actual": list(shape),
    }


@pytest.mark.parametrize("size", [0, 1, 2])
def test_an_empty_answer_is_compared_by_shape(size):
    empty = answer(torch.ones(2, 0, 3))

    empty.accepts(torch.ones(2, 0, 3))

    assert failure(empty, torch.ones(2, size, 2)).message == "values.shape"


def test_a_number_alone_is_compared_too():
    scalar = answer(2.0, axes="")

    scalar.accepts(torch.tensor(2.0))

    found = failure(scalar, torch.tensor(3.0))
    assert (found.message, found.arguments["index"], found.arguments["total"]) == ("values.differ", [], 1)
    assert failure(scalar, torch.tensor(math.nan)).arguments["index"] == []


# -- dtype ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool, torch.complex64]
)
def test_another_dtype_never_passes(dtype, expected, right):
    found = failure(expected, right.to(dtype))

    assert found.message == "values.dtype"
    assert found.arguments == {
        "name": "the_function",
        "expected": "float32",
        "actual": str(dtype).removeprefix("torch."),
    }


def test_any_dtype_judges_the_rounded_values():
    third = answer([1 / 3], bound=1e-8, dtype=torch.bfloat16, axes="D")

    third.accepts(torch.tensor([1 / 3]), any_dtype=True)
    third.accepts(torch.tensor([1 / 3], dtype=torch.float64), any_dtype=True)

    assert failure(third, torch.tensor([1 / 3])).message == "values.dtype"
    assert failure(third, torch.tensor([0.34]), any_dtype=True).message == "values.differ"


def test_any_dtype_does_not_excuse_lost_digits(expected, right):
    wide = answer([1 / 3], bound=1e-8, axes="D")

    assert failure(wide, torch.tensor([1 / 3]).bfloat16(), any_dtype=True).message == "values.differ"


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.complex64])
def test_any_dtype_means_any_floating_dtype(dtype, expected, right):
    assert failure(expected, right.to(dtype), any_dtype=True).message == "values.dtype"


# -- finite ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("any_dtype", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_nan_and_infinity_never_pass(dtype, any_dtype, bad):
    loose = answer(torch.zeros(2, 3), bound=math.inf, dtype=dtype if not any_dtype else torch.bfloat16, axes="T D")
    actual = torch.zeros(2, 3, dtype=dtype)
    actual[1, 2] = bad

    found = failure(loose, actual, any_dtype=any_dtype)

    assert found.message == "values.not-finite"
    assert (found.arguments["index"], found.arguments["count"], found.arguments["total"]) == ([1, 2], 1, 6)
    assert (found.arguments["expected"], found.arguments["actual"]) == ("0", str(bad))


def test_what_overflows_the_expected_dtype_is_not_finite():
    large = answer([6e4], bound=1e9, dtype=torch.float16, axes="D")

    assert failure(large, torch.tensor([7e4]), any_dtype=True).message == "values.not-finite"


@pytest.mark.parametrize("bound", [math.nan, 0.0, -1.0])
def test_a_broken_bound_accepts_nothing_wrong(bound):
    assert failure(answer([1.0], bound=bound, axes="D"), torch.tensor([2.0])).message == "values.differ"


def test_a_truth_that_is_not_a_number_accepts_nothing():
    assert failure(answer([math.nan], axes="D"), torch.tensor([2.0])).message == "values.differ"


# -- values ---------------------------------------------------------------------------------------------------


def test_a_zero_bound_asks_for_equality():
    exact = answer([1.0, 0.0], bound=0.0, axes="D")

    exact.accepts(torch.tensor([1.0, -0.0]))

    above = torch.nextafter(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 1.0]))
    assert failure(exact, above).arguments["count"] == 2


def test_the_bound_counts_element_by_element():
    truth = torch.zeros(3, dtype=torch.float64)
    uneven = Answer(truth, torch.tensor([0.1, 1.0, 0.0], dtype=torch.float64), torch.float32, "D", "f")

    uneven.accepts(torch.tensor([0.0, 0.9, 0.0]))

    assert failure(uneven, torch.tensor([0.9, 0.9, 0.0])).arguments["index"] == [0]


def test_the_message_tells_where_how_much_and_how_many(expected, right):
    wrong = right.clone()
    wrong[0, 1, 0], wrong[0, 1, 1] = 3.5, -40

    found = failure(expected, wrong)

    assert found.arguments == {
        "name": "the_function",
        "axes": "[B, T, D]",
        "index": [0, 1, 0],
        "expected": "3",
        "actual": "3.5",
        "count": 2,
        "total": 4,
        "largest": "44",
        "allowed": "0.001",
    }
    evidence = {"wrong": 2, "total": 4, "first": [0, 1, 0], "largest_difference": 44.0, "dtype": "float32"}
    assert found.evidence | evidence == found.evidence
    assert found.evidence["ratio"] == pytest.approx(44000, rel=1e-3)


def test_the_expected_number_is_shown_as_the_dtype_holds_it():
    found = failure(answer([1 / 3], bound=1e-9, dtype=torch.bfloat16, axes="D"), torch.tensor([1.0]).bfloat16())

    assert found.arguments["expected"] == "0.333984"


def test_a_huge_ratio_stays_a_number():
    found = failure(answer([0.0], bound=0.0, axes="D"), torch.tensor([1.0]))

    assert found.evidence["ratio"] == 1e30


@pytest.mark.parametrize("language", messages.LANGUAGES)
@pytest.mark.parametrize(
    "actual", [torch.ones(3), torch.ones(2).double(), torch.tensor([1.0, math.nan]), torch.zeros(2)]
)
def test_every_failure_has_a_sentence_without_gaps(actual, language):
    found = failure(answer([1.0, 1.0], axes="D"), actual)

    text = messages.render(found.message, found.arguments, language)

    assert "the_function" in text
    assert not re.search(r"[{}]", text)
