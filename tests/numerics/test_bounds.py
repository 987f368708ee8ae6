"""The derived bounds of RoPE: legal programs use less than half, programs that lose precision are far outside."""

import math
from functools import cache

import pytest
import torch
from numerics import rope_mistakes, rope_programs

from grader.numerics import bounds, designed
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle

HALF, FAR = 0.5, 10.0
SEEDS = range(10)
oracle = Oracle(0)


def error(answer, computed):
    """The largest error before the last cast, in units of the bound."""
    assert computed.shape == answer.truth.shape
    return float(((computed.double() - answer.truth).abs() / answer.bound).max())


def distance(answer, output):
    """The largest excess of an output, in units of the bound; NaN and infinity are infinitely far."""
    return answer.ratio(output) if bool(torch.isfinite(output).all()) else math.inf


WIDTHS = (2, 4, 8, 64, 128)
POSITIONS = {
    "first": torch.arange(12),
    "past 2048": torch.tensor([0, 1, 255, 256, 257, 258, 1023, 1024, 2047, 2048, 2049, 1500]),
    "past 2^20": torch.tensor([0, 2, 4095, 4099, 65535, 65537, 131071, 131072, 524288, 999983, 2**20, 2**20 + 1]),
    "rows": Draw(0, "positions of rows").integers(8, 12, low=0, high=1 << 17).abs().long(),
}


@cache
def rope_case(width, where, dtype):
    """Eight kinds of data along the batch, and the answer to them."""
    draw = Draw(1, f"{width} {where}")
    x = draw.normal(8, 12, 3, width)
    scales = torch.tensor([1.0, 1e-3, 1e3, 2.0**30, 2.0**-30, 2.0**100, 2.0**-130, 1.0])
    x = (x * scales[:, None, None, None]).to(dtype)
    x[7] = draw.integers(12, 3, width, low=0, high=2)  # zeros of both signs among ones
    return x, oracle.apply_rope(x, POSITIONS[where])


@pytest.mark.parametrize("name", rope_programs.LEGAL)
def test_legal_rope_programs_use_less_than_half_of_the_bound(name):
    program = rope_programs.LEGAL[name]
    cases = [
        (where, *rope_case(width, where, dtype))
        for width in WIDTHS
        for where in POSITIONS
        for dtype in (torch.bfloat16, torch.float32)
    ]

    errors = [error(answer, program(x, POSITIONS[where])) for where, x, answer in cases]

    assert max(errors) < HALF


@cache
def rope_precision(seed):
    """What ``rope.precision`` gives to a submission: x, positions and the answer of each case."""
    positions = Draw.far_positions()
    random = Draw(seed, "rope.precision random").normal(2, 16, 2, 32, dtype="bf16")
    cancelling = designed.cancelling_pairs(positions, heads=4, head_dim=32)
    return [(x, positions, oracle.apply_rope(x, positions)) for x in (random, cancelling)]


@pytest.mark.parametrize("name", rope_mistakes.ROUNDED)
def test_rope_programs_that_lose_precision_are_far_outside(name):
    program = rope_mistakes.ROUNDED[name]

    distances = [max(distance(answer, program(x, p)) for x, p, answer in rope_precision(seed)) for seed in SEEDS]

    assert min(distances) > FAR


@pytest.mark.parametrize("name", rope_mistakes.MISTAKEN)
def test_mistaken_rotations_are_far_outside(name):
    program = rope_mistakes.MISTAKEN[name]

    distances = [max(distance(answer, program(x, p)) for x, p, answer in rope_precision(seed)) for seed in SEEDS]

    assert min(distances) > 1000 * FAR


def test_rope_separates_right_from_wrong(record_property):
    right = [
        error(answer, program(x, p))
        for program in rope_programs.LEGAL.values()
        for seed in SEEDS
        for x, p, answer in rope_precision(seed)
    ]
    wrong = [
        max(distance(answer, program(x, p)) for x, p, answer in rope_precision(seed))
        for program in rope_mistakes.ROUNDED.values()
        for seed in SEEDS
    ]

    record_property("separation", min(wrong) / max(right))
    assert min(wrong) / max(right) > 100


def test_a_rotation_is_never_allowed_to_err_by_more_than_its_length():
    x, positions = torch.ones(1, 1, 1, 8), torch.tensor([2**40])

    bound = bounds.rope(x, positions, 10000.0)

    assert bound.max() <= 2 * 2 + bounds.TINY


@pytest.mark.parametrize("base", [10000.0, 500000.0, 100.0])
@pytest.mark.parametrize("width", [2, 4, 8, 64, 128])
def test_legal_frequencies_and_tables_use_less_than_half_of_the_bound(width, base, monkeypatch):
    monkeypatch.setattr(rope_programs, "BASE", base)
    positions = torch.tensor([0, 1, 5, 100, 2049, 65537, 131072])
    cos, sin = oracle.rope_cos_sin(positions, width, base)

    for theta in (recipe(width) for recipe in rope_programs.THETAS.values()):
        angle = (positions.float()[:, None] * theta)[None, :, None]

        assert error(oracle.rope_frequencies(width, base), theta) < HALF
        assert error(cos, angle.cos()) < HALF
        assert error(sin, angle.sin()) < HALF


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_rounded_frequencies_and_tables_are_far_outside(dtype):
    positions = torch.tensor([0, 1, 2, 5, 9])
    theta = rope_programs.THETAS["FP64, cast"](8)
    cos, sin = oracle.rope_cos_sin(positions, 8)
    angle = (positions.float()[:, None] * theta)[None, :, None]

    assert distance(oracle.rope_frequencies(8), theta.to(dtype).float()) > FAR
    assert distance(cos, angle.cos().to(dtype).float()) > FAR
    assert distance(sin, angle.sin().to(dtype).float()) > FAR
