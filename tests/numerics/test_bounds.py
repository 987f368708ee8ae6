"""The derived bounds: legal programs use less than half of them, programs that lose precision are far outside.

``Separation`` below is the smallest excess of a wrong program over the largest error of a right one.
"""

import math
from functools import cache

import pytest
import torch
from numerics import norm_programs, rope_programs

from grader.contract import ModuleSpec
from grader.numerics import bounds
from grader.numerics.draw import Draw
from grader.numerics.rounding import FP32_UNIT
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


# -- RoPE -----------------------------------------------------------------------------------------------------

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
    cancelling = Draw.cancelling_pairs(positions, heads=4, d=32)
    return [(x, positions, oracle.apply_rope(x, positions)) for x in (random, cancelling)]


@pytest.mark.parametrize("name", rope_programs.ROUNDED)
def test_rope_programs_that_lose_precision_are_far_outside(name):
    program = rope_programs.ROUNDED[name]

    distances = [max(distance(answer, program(x, p)) for x, p, answer in rope_precision(seed)) for seed in SEEDS]

    assert min(distances) > FAR


@pytest.mark.parametrize("name", rope_programs.MISTAKEN)
def test_mistaken_rotations_are_far_outside(name):
    program = rope_programs.MISTAKEN[name]

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
        for program in rope_programs.ROUNDED.values()
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


# -- norms ----------------------------------------------------------------------------------------------------


def norm_data(draw, width):
    """Rows of every kind: unit, large, small, with an offset, of many sizes, constant, one spike, and zeros."""
    unit = [draw.normal(4, width) for _ in range(6)]
    spike = torch.zeros(4, width)
    spike[:, 0] = draw.near_one(4)
    rows = (
        unit[0],
        1e3 * unit[1],
        1e-3 * unit[2],
        unit[3] + 4,
        unit[4] * torch.pow(10.0, draw.normal(4, width)),
        unit[5][:, :1].expand(4, width),
        spike,
        torch.zeros(4, width),
    )
    return torch.stack(rows)


@cache
def norm_case(name, width, dtype, eps):
    draw = Draw(2, f"{name} {width}")
    spec = draw.module(name, {"dim": width, "eps": eps})
    x = norm_data(draw, width).to(dtype)
    return spec, x, oracle.norm(spec, x)


@pytest.mark.parametrize("width", [2, 6, 64, 256, 4096])
@pytest.mark.parametrize("name", norm_programs.LEGAL_RMS)
def test_legal_rms_norms_use_less_than_half_of_the_bound(name, width):
    for dtype in (torch.bfloat16, torch.float32):
        for eps in (1e-6, 1e-5, 0.1):
            spec, x, answer = norm_case("RMSNorm", width, dtype, eps)

            computed = norm_programs.LEGAL_RMS[name](x, spec.weights["weight"], eps)

            assert error(answer, computed) < HALF


@pytest.mark.parametrize("width", [2, 6, 64, 256, 1024])
@pytest.mark.parametrize("name", norm_programs.LEGAL_LAYER)
def test_legal_layer_norms_use_less_than_half_of_the_bound(name, width):
    for dtype in (torch.bfloat16, torch.float32):
        for eps in (1e-5, 0.1):
            spec, x, answer = norm_case("LayerNorm", width, dtype, eps)

            computed = norm_programs.LEGAL_LAYER[name](x, spec.weights["weight"], spec.weights["bias"], eps)

            assert error(answer, computed) < HALF


@cache
def norm_precision(name, seed):
    """What ``norm.layernorm-precision`` and ``norm.rmsnorm-precision`` give to a submission."""
    cases = {"unit": (1.0, 0.0), "offset": (1.0, 3.0 if name == "LayerNorm" else 4.0), "wide": (1000.0, 0.0)}
    if name == "RMSNorm":
        cases["small"] = (1e-3, 0.0)
    found = []
    for case, (scale, offset) in cases.items():
        draw = Draw(seed, f"norm.{name.lower()}-precision {case}")
        weights = {"weight": draw.powers_of_two(64)} | ({"bias": torch.zeros(64)} if name == "LayerNorm" else {})
        x = (draw.normal(4, 8, 64, scale=scale) + offset).bfloat16()
        spec = ModuleSpec(name, {"dim": 64}, weights)
        found.append((x, weights.values(), oracle.norm(spec, x)))
    return found


PRECISE = {
    "RMSNorm": (norm_programs.LEGAL_RMS, norm_programs.ROUNDED_RMS, 1e-6),
    "LayerNorm": (norm_programs.LEGAL_LAYER, norm_programs.ROUNDED_LAYER, 1e-5),
}


@pytest.mark.parametrize(
    ("norm", "name"), [(norm, name) for norm, (_, rounded, _) in PRECISE.items() for name in rounded]
)
def test_norms_that_lose_precision_are_far_outside(norm, name):
    _, rounded, eps = PRECISE[norm]

    distances = [
        max(distance(answer, rounded[name](x, *weights, eps)) for x, weights, answer in norm_precision(norm, seed))
        for seed in SEEDS
    ]

    assert min(distances) > FAR


@pytest.mark.parametrize("norm", PRECISE)
def test_norms_separate_right_from_wrong(norm, record_property):
    legal, rounded, eps = PRECISE[norm]
    cases = {seed: norm_precision(norm, seed) for seed in SEEDS}
    right = [
        error(answer, program(x, *weights, eps))
        for program in legal.values()
        for seed in SEEDS
        for x, weights, answer in cases[seed]
    ]
    wrong = [
        max(distance(answer, program(x, *weights, eps)) for x, weights, answer in cases[seed])
        for program in rounded.values()
        for seed in SEEDS
    ]

    record_property("separation", min(wrong) / max(right))
    assert min(wrong) / max(right) > 100


@pytest.mark.parametrize("norm", PRECISE)
def test_gamma_of_a_power_of_two_hides_where_the_cast_stands(norm):
    legal, _, eps = PRECISE[norm]

    for x, weights, answer in norm_precision(norm, 1):
        weight = next(iter(weights))
        ones, zeros = torch.ones(64), torch.zeros(64)
        normed = next(iter(legal.values()))(x, *([ones, zeros] if norm == "LayerNorm" else [ones]), eps)

        assert distance(answer, normed.bfloat16() * weight.bfloat16()) <= 1


def test_bounds_are_a_few_units_of_fp32():
    x = Draw(3, "size").normal(16, 64)

    answer = oracle.norm(ModuleSpec("RMSNorm", {"dim": 64}, {"weight": torch.ones(64)}), x)

    assert (answer.bound / answer.truth.abs()).max() < 100 * FP32_UNIT
