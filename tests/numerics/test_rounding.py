"""The preimage criterion: which numbers may have become an output by one rounding."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from grader.numerics.rounding import excess, nearest, neighbours

INTEGERS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}
NUMPY = {torch.float16: np.float16, torch.float32: np.float32}
PROPERTY = settings(derandomize=True)
DTYPES = pytest.mark.parametrize("dtype", INTEGERS, ids=str)


def all_finite(dtype):
    """Every finite number of a 16-bit dtype, both zeros included, in the order of their bits."""
    values = torch.arange(-(1 << 15), 1 << 15).to(torch.int16).view(dtype)
    return values[torch.isfinite(values)]


def ladder(dtype):
    """Every finite number once, in FP64, sorted."""
    return all_finite(dtype).double().unique()


def same_bits(actual, expected):
    integer = INTEGERS[actual.dtype]
    return torch.equal(actual.view(integer), expected.view(integer))


def scalar(value, dtype=torch.float64):
    return torch.tensor(value, dtype=dtype)


# -- every finite bf16 and FP16 number ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_neighbours_are_the_adjacent_numbers_of_the_dtype(dtype):
    steps = ladder(dtype)

    down, up = neighbours(steps.to(dtype))

    assert torch.equal(down[1:], steps[:-1])
    assert torch.equal(up[:-1], steps[1:])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_past_the_largest_number_the_neighbour_steps_on_by_the_same_distance(dtype):
    second, largest = ladder(dtype)[-2:]
    ends = torch.stack([largest, -largest]).to(dtype)

    down, up = neighbours(ends)

    assert (float(up[0]), float(down[1])) == (2 * largest - second, second - 2 * largest)
    assert float(up[0]) == 2.0 ** (128 if dtype == torch.bfloat16 else 16)


@DTYPES
def test_both_zeros_have_the_smallest_numbers_as_neighbours(dtype):
    smallest = float(torch.ones((), dtype=INTEGERS[dtype]).view(dtype))
    zeros = torch.tensor([0.0, -0.0], dtype=dtype)

    down, up = neighbours(zeros)

    assert down.tolist() == [-smallest, -smallest]
    assert up.tolist() == [smallest, smallest]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_each_number_is_the_rounding_of_itself_signs_of_zero_included(dtype):
    values = all_finite(dtype)

    assert same_bits(nearest(values.double(), dtype), values)
    assert excess(values, values.double()).max() == 0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_a_tie_is_admissible_on_both_sides_and_rounds_to_even(dtype):
    steps = ladder(dtype)
    below, above = steps[:-1].to(dtype), steps[1:].to(dtype)
    middle = (steps[:-1] + steps[1:]) / 2

    rounded = nearest(middle, dtype)

    assert excess(below, middle).max() == 0
    assert excess(above, middle).max() == 0
    assert torch.all((rounded == below) | (rounded == above))
    assert torch.all(rounded.view(torch.int16) % 2 == 0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_just_beside_a_tie_only_one_side_is_admissible(dtype):
    steps = ladder(dtype)
    below, above = steps[:-1].to(dtype), steps[1:].to(dtype)
    middle = (steps[:-1] + steps[1:]) / 2
    less = torch.nextafter(middle, torch.full_like(middle, -math.inf))
    more = torch.nextafter(middle, torch.full_like(middle, math.inf))

    assert torch.equal(nearest(less, dtype), below)
    assert torch.equal(nearest(more, dtype), above)
    assert torch.all(excess(above, less) > 0)
    assert torch.all(excess(below, more) > 0)


def test_nearest_rounds_once_where_the_cast_rounds_twice():
    steps = ladder(torch.bfloat16)
    middle = (steps[:-1] + steps[1:]) / 2
    more = torch.nextafter(middle, torch.full_like(middle, math.inf))

    twice = more.to(torch.bfloat16)

    assert torch.equal(nearest(more, torch.bfloat16).double(), steps[1:])
    assert float((twice.double() != steps[1:]).double().mean()) > 0.49  # FP32 loses the last bit: a tie, then even


def test_excess_is_the_distance_to_the_reals_that_round_to_the_output():
    steps = ladder(torch.bfloat16)
    inner = steps[1:-1]
    low, high = (steps[:-2] + inner) / 2, (inner + steps[2:]) / 2
    size = (steps[2:] - steps[:-2]) / 8
    output = inner.to(torch.bfloat16)

    assert_close(excess(output, high + size), size, rtol=1e-12, atol=0)
    assert_close(excess(output, low - size), size, rtol=1e-12, atol=0)


def test_at_a_power_of_two_the_lower_side_is_half_as_wide():
    one = scalar([1.0], torch.bfloat16)
    truth = scalar([1 + 2**-8, 1 - 2**-9, 1 - 2**-8])

    assert excess(one, truth).tolist() == [0, 0, 2**-9]


@DTYPES
def test_what_rounds_to_infinity_is_not_finite(dtype):
    limit = torch.finfo(dtype).max
    step = limit - float(neighbours(scalar([limit], dtype))[0])
    edge = limit + step / 2
    truth = scalar([math.nextafter(edge, 0), edge, math.inf, -edge, -math.inf])

    assert nearest(truth, dtype).tolist() == [limit, math.inf, math.inf, -math.inf, -math.inf]
    assert torch.isnan(nearest(scalar([math.nan]), dtype)).all()


def test_fp64_outputs_are_compared_as_they_are():
    output, truth = scalar([1.0, 2.0]), scalar([1.0, 2.5])

    assert excess(output, truth).tolist() == [0, 0.5]
    assert torch.equal(nearest(truth, torch.float64), truth)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 1, 3)])
def test_every_shape_is_kept(shape):
    truth = torch.full(shape, 1 / 3, dtype=torch.float64)

    rounded = nearest(truth, torch.bfloat16)

    assert rounded.shape == excess(rounded, truth).shape == shape
    assert all(side.shape == shape for side in neighbours(rounded))


def test_views_are_read_in_their_own_order():
    values = torch.arange(12.0).reshape(3, 4).bfloat16()

    down, up = neighbours(values.T)

    assert torch.equal(down, neighbours(values)[0].T)
    assert torch.equal(up, neighbours(values)[1].T)


# -- any number -----------------------------------------------------------------------------------------------


@DTYPES
@PROPERTY
@given(truth=st.floats(-5e4, 5e4), relative=st.floats(-0.25, 0.25), absolute=st.floats(-1e-6, 1e-6))
def test_a_program_that_errs_before_its_one_rounding_exceeds_by_at_most_its_error(dtype, truth, relative, absolute):
    computed = truth * (1 + relative) + absolute
    output = nearest(scalar([computed]), dtype)

    beyond = float(excess(output, scalar([truth])))

    assert beyond <= abs(computed - truth) * (1 + 1e-12)


@pytest.mark.parametrize("dtype", NUMPY, ids=str)
@PROPERTY
@given(truth=st.floats(allow_nan=False))
def test_nearest_agrees_with_numpy(dtype, truth):
    with np.errstate(over="ignore", under="ignore"):
        expected = NUMPY[dtype](truth)

    actual = nearest(scalar([truth]), dtype)

    assert same_bits(actual, torch.from_numpy(np.array([expected])))


@pytest.mark.parametrize(("dtype", "width"), [(torch.float32, 32), (torch.float16, 16)], ids=str)
@PROPERTY
@given(data=st.data())
def test_neighbours_agree_with_numpy(dtype, width, data):
    limit = float(torch.finfo(dtype).max)
    value = data.draw(st.floats(-limit, limit, width=width, exclude_min=True, exclude_max=True))
    kind = NUMPY[dtype]

    down, up = neighbours(scalar([value], dtype))

    assert float(down) == float(np.nextafter(kind(value), kind(-math.inf)))
    assert float(up) == float(np.nextafter(kind(value), kind(math.inf)))


@DTYPES
@PROPERTY
@given(truth=st.floats(-6e4, 6e4))
def test_only_the_nearest_numbers_have_no_excess(dtype, truth):
    output = nearest(scalar([truth]), dtype)
    others = torch.cat(neighbours(output)).to(dtype)

    assert float(excess(output, scalar([truth]))) == 0
    assert torch.equal(
        excess(others, scalar([truth, truth])) == 0, (others.double() - truth).abs() == abs(output.double() - truth)
    )
