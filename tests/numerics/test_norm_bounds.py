"""The derived bounds of norms: legal programs use less than half, programs that lose precision are far outside."""

import math
from functools import cache

import pytest
import torch
from numerics import norm_programs

from grader.contract import ModuleSpec
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
