"""What the dispatch mode perturbs, and how the bound comes from it."""

import math
import subprocess
import sys

import pytest
import torch

from grader.numerics import noise
from grader.numerics.draw import Draw
from grader.numerics.rounding import BF16_UNIT, FP32_UNIT
from grader.oracle.live import Oracle


def perturbed(run, *data, unit, seed=0):
    """``run(*data)`` under noise, and without."""
    with torch.no_grad():
        exact = run(*data)
        with noise.RoundingNoise(unit, data, torch.Generator().manual_seed(seed)):
            noisy = run(*data)
    return noisy, exact


def relative(noisy, exact):
    return float(((noisy - exact) / exact).abs().max())


def ones(*shape):
    return torch.ones(*shape, dtype=torch.float64)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x * x,
        lambda x: x.transpose(0, 1)[1:] + 1,
        lambda x: torch.cat(x.split(2), dim=1).exp(),
        lambda x: torch.stack([x, x]).sum(dim=0),
        lambda x: x.masked_fill(x < 0, 0.0).softmax(dim=-1),
    ],
    ids=["product", "view", "split", "stack", "softmax"],
)
def test_what_is_computed_from_data_is_off_by_the_unit(run):
    noisy, exact = perturbed(run, ones(4, 64), unit=BF16_UNIT)

    assert BF16_UNIT / 2 < relative(noisy, exact) <= 1.001 * BF16_UNIT


def test_what_does_not_depend_on_data_is_off_by_units_of_fp32():
    positions = torch.arange(1, 65, dtype=torch.float64)

    tables, exact = perturbed(lambda x: positions * 0.1, ones(1), unit=BF16_UNIT)

    assert 4 * FP32_UNIT < relative(tables, exact) <= 8.001 * FP32_UNIT


@pytest.mark.parametrize("position", [1.0, 1000.0, 100000.0])
def test_cos_and_sin_of_positions_see_an_angle_that_is_off(position):
    angle = torch.full((4096,), position, dtype=torch.float64)

    noisy, exact = perturbed(lambda x: angle.sin(), ones(1), unit=0.0)

    slope = abs(math.cos(position)) * position
    assert 4 * FP32_UNIT * slope < float((noisy - exact).abs().max()) < 9 * FP32_UNIT * (slope + 1)


@pytest.mark.parametrize(
    "run",
    [
        torch.Tensor.clone,
        torch.relu,
        lambda x: x.amax(-1),
        lambda x: x.reshape(2, -1).T,
        lambda x: x.masked_fill(x > 0, 2.0),
        lambda x: x.repeat_interleave(2, dim=1),
    ],
    ids=["clone", "relu", "maximum", "reshape", "mask", "repeat"],
)
def test_what_stores_no_new_number_is_exact(run):
    noisy, exact = perturbed(run, ones(4, 4), unit=BF16_UNIT)

    assert torch.equal(noisy, exact)


def test_products_accumulate_even_when_they_cancel():
    left = torch.tensor([[1.0, -1.0] * 512], dtype=torch.float64)

    noisy, exact = perturbed(lambda x: x @ ones(1024, 8), left, unit=0.0)

    assert torch.equal(exact, torch.zeros_like(exact))
    assert 0 < float(noisy.abs().max()) < 2 * FP32_UNIT * 1024


def test_the_mode_ends_with_its_block_and_leaves_data_alone():
    x = ones(3)
    perturbed(lambda x: x * 2, x, unit=BF16_UNIT)

    assert torch.equal(x, ones(3))
    assert torch.equal(x * 2, torch.full((3,), 2.0, dtype=torch.float64))


# -- the bound ------------------------------------------------------------------------------------------------


def test_one_seed_gives_one_bound():
    x = Draw(0, "bound").normal(2, 8).double()

    first, again, other = (
        noise.bound(torch.exp, x, x.exp(), unit=BF16_UNIT, weights=(), seed=seed) for seed in (1, 1, 2)
    )

    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_the_bound_is_ten_times_the_spread():
    x = ones(1, 4096)

    bound = noise.bound(torch.exp, x, x.exp(), unit=BF16_UNIT, weights=(), seed=0)

    expected = noise.KAPPA * BF16_UNIT * math.e / math.sqrt(3)  # the deviation of U(-1, 1) is 1/sqrt(3)
    assert abs(float(bound.mean()) / expected - 1) < 0.02


def test_an_element_without_spread_gets_a_part_of_its_row():
    samples = torch.zeros(32, 1, 4, dtype=torch.float64)
    samples[..., 0] = torch.tensor([-1.0, 1.0]).repeat(16)[:, None]

    bound = noise.from_samples(samples, torch.zeros(1, 4, dtype=torch.float64))

    assert bound[0].tolist() == pytest.approx([10, 1.25, 1.25, 1.25])


def test_the_floor_may_be_a_part_of_the_whole():
    samples = torch.zeros(32, 2, 2, dtype=torch.float64)
    samples[:, 0] = torch.tensor([-1.0, 1.0]).repeat(16)[:, None]
    truth = torch.zeros(2, 2, dtype=torch.float64)

    rows, whole = (noise.from_samples(samples, truth, floor_over_all=over_all) for over_all in (False, True))

    assert rows.tolist() == [pytest.approx([10, 10]), pytest.approx([0, 0])]
    assert whole.tolist() == [pytest.approx([10, 10]), pytest.approx([5 / math.sqrt(2)] * 2)]


def test_a_scalar_without_spread_has_nearly_no_room():
    bound = noise.from_samples(ones(32), ones(()))

    assert 0 < float(bound) < 1e-40


def test_the_bound_grows_with_the_positions_that_enter():
    draw = Draw(0, "positions")
    spec = draw.module("GroupedQueryAttention", {"dim": 32, "n_heads": 4, "n_kv_heads": 2}, gain=2.0)
    x = draw.normal(1, 4, 32)

    near, far = (
        Oracle(0).module(spec, x, positions=torch.tensor([0, 1, 2, 3]) * step).bound.mean() for step in (1, 10000)
    )

    assert far > 10 * near


def test_the_oracle_imports_no_compiler_and_no_algebra():
    script = """
import sys
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
draw = Draw(0, "imports")
q, k, v = draw.normal(1, 2, 2, 4), draw.normal(1, 2, 1, 4), draw.normal(1, 2, 1, 4)
Oracle(0).grouped_query_attention(q, k, v)
Oracle(0).function_gradients("grouped_query_attention", {"q": q, "k": k, "v": v}, q)
print(sorted({"torch._dynamo", "torch._inductor", "sympy"} & set(sys.modules)))
"""

    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert shown.strip() == "[]"
