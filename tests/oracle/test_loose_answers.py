"""Answers with more or less room than FP32 needs, and answers that are whole numbers."""

import pytest
import torch

from grader.errors import CheckFailure
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
from reference.rope import apply_rope


@pytest.fixture
def oracle():
    return Oracle(0)


@pytest.fixture
def draw(request):
    return Draw(0, request.node.name)


def refused(answer, actual, **options):
    with pytest.raises(CheckFailure) as caught:
        answer.accepts(actual, **options)
    return caught.value.message


def test_coarse_leaves_room_for_bf16_inside_but_not_for_another_answer(oracle, draw):
    spec, x = draw.module("RMSNorm", {"dim": 6}), draw.normal(7, 6)
    rounded = oracle.norm(spec, x).truth.bfloat16().float()

    assert refused(oracle.norm(spec, x), rounded) == "values.differ"
    assert refused(oracle.norm(spec, x).coarse(False), rounded) == "values.differ"
    oracle.norm(spec, x).coarse().accepts(rounded)
    assert refused(oracle.norm(spec, x).coarse(), 1.2 * rounded) == "values.differ"


def test_any_dtype_judges_an_fp32_result_by_its_rounding(oracle, draw):
    x, positions = draw.normal(2, 5, 3, 8, dtype="bf16"), torch.arange(5)
    answer = oracle.apply_rope(x, positions)
    wide = apply_rope(x.float(), positions)

    answer.accepts(wide, any_dtype=True)

    assert refused(answer, wide) == "values.dtype"
    assert refused(answer, wide.half(), any_dtype=True) == "values.differ"


def test_exactly_takes_the_bits_and_nearly_takes_what_is_allowed(oracle):
    truth = torch.tensor([[1.0, 255 / 128]])
    exact = oracle.exactly(truth, like=truth, axes="B D", name="f")
    near = oracle.nearly(truth, 1e-6, like=truth, axes="B D", name="f")

    exact.accepts(truth)
    near.accepts(truth + 5e-7)

    assert refused(exact, torch.nextafter(truth, torch.zeros(1, 2))) == "values.differ"
    assert refused(near, truth + 5e-6) == "values.differ"
    assert refused(oracle.exactly(truth, like=truth.bfloat16(), axes="B D", name="f"), truth) == "values.dtype"


def test_answers_do_not_depend_on_the_noise_but_bounds_do(draw):
    spec, x = draw.module("SwiGLU", {"dim": 16, "hidden_dim": 10}), draw.normal(2, 5, 16)

    first, again, other = (Oracle(seed).module(spec, x) for seed in (1, 1, 2))

    assert torch.equal(first.truth, other.truth)
    assert torch.equal(first.bound, again.bound)
    assert not torch.equal(first.bound, other.bound)


# -- whole numbers --------------------------------------------------------------------------------------------


def test_cache_bytes_are_exact(oracle):
    oracle.kv_cache_bytes(4, 4096, 32, 8, 128, 2).accept([2147483648])

    with pytest.raises(CheckFailure):
        oracle.kv_cache_bytes(4, 4096, 32, 8, 128, 2).accept([2147483648 * 4])


@pytest.mark.parametrize(
    ("dim", "multiple_of", "right", "wrong"),
    [
        (768, 1, [2048], [2047, 2049, 3072]),
        (4096, 256, [10752, 11008], [10923, 10496, 11264, 16384]),
        (100, 1, [266, 267], [265, 268, 400]),
        (30, 64, [64, 128], [0, 80, 192]),
        (3, 64, [64], [0, 8]),
    ],
)
def test_hidden_dims_next_to_8_thirds_are_right_and_others_are_not(dim, multiple_of, right, wrong, oracle):
    expected = oracle.swiglu_hidden_dim(dim, multiple_of)

    for value in right:
        expected.accept([value])

    for value in wrong:
        with pytest.raises(CheckFailure):
            expected.accept([value])
