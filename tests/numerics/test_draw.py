"""Inputs come from the run's seed: the same for one seed, unrelated between checks, and as described."""

import pytest
import torch

from grader.contract import parameter_shapes
from grader.numerics.draw import Draw

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64, "fp16": torch.float16}
RANDOM = {
    "normal": lambda draw: draw.normal(3, 4),
    "integers": lambda draw: draw.integers(3, 4),
    "powers of two": lambda draw: draw.powers_of_two(3, 4),
    "near one": lambda draw: draw.near_one(12),
    "permutation": lambda draw: draw.permutation(12),
    "pointer": lambda draw: draw.pointer("fp32").x,
    "saturated gate": lambda draw: draw.saturated_gate("fp32").x,
    "module": lambda draw: draw.module("SwiGLU", {"dim": 4, "hidden_dim": 6}).weights["w_up.weight"],
}


@pytest.fixture
def draw():
    return Draw(7, "a check")


@pytest.mark.parametrize("kind", RANDOM)
def test_one_seed_gives_the_same_inputs_again(kind):
    first, again = (RANDOM[kind](Draw(7, "a check")) for _ in range(2))

    assert torch.equal(first, again)


@pytest.mark.parametrize("kind", RANDOM)
def test_another_seed_or_another_check_gives_other_inputs(kind):
    here, other_check, other_seed = (RANDOM[kind](Draw(*key)) for key in ((7, "a"), (7, "b"), (8, "a")))

    assert not torch.equal(here, other_check)
    assert not torch.equal(here, other_seed)


@pytest.mark.parametrize("kind", RANDOM)
def test_two_draws_of_one_check_differ(kind, draw):
    assert not torch.equal(RANDOM[kind](draw), RANDOM[kind](draw))


def test_the_global_generator_neither_matters_nor_moves():
    torch.manual_seed(1)
    first, state = Draw(7, "a check").normal(5), torch.get_rng_state()
    torch.manual_seed(2)

    assert torch.equal(Draw(7, "a check").normal(5), first)
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state)


def test_seed_and_label_cannot_be_mixed_up():
    assert Draw(1, "2/a").seed != Draw(12, "/a").seed


def test_a_seed_is_a_number_that_a_generator_takes():
    seeds = [Draw(seed, "a check").seed for seed in (0, 1, 2**62 - 1)]

    assert len(set(seeds)) == 3
    assert all(0 <= seed < 2**56 for seed in seeds)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_have_the_dtype_that_was_asked_for(dtype, draw):
    drawn = [
        draw.normal(2, dtype=dtype),
        draw.integers(2, dtype=dtype),
        draw.powers_of_two(2, dtype=dtype),
        draw.tensor([1, 2], dtype=dtype),
        draw.full(2, value=0.5, dtype=dtype),
    ]

    assert {values.dtype for values in drawn} == {DTYPES[dtype]}


def test_normal_numbers_have_mean_0_and_the_scale(draw):
    values = draw.normal(100, 100, scale=3.0)

    assert abs(float(values.mean())) < 0.15
    assert abs(float(values.std()) - 3) < 0.1


@pytest.mark.parametrize(("low", "high"), [(1, 128), (1, 8), (1, 2), (5, 6)])
def test_integers_are_whole_signed_within_range_and_never_zero(low, high, draw):
    values = draw.integers(200, 50, low=low, high=high)

    assert set(values.abs().unique().tolist()) == set(range(low, high))
    assert bool((values > 0).any())
    assert bool((values < 0).any())


def test_integers_are_exact_in_bf16(draw):
    values = draw.integers(1000, high=256)

    assert torch.equal(values.bfloat16().float(), values)


def test_powers_of_two_are_powers_of_two_of_both_signs(draw):
    values = draw.powers_of_two(1000, low=-2, high=2)

    assert set(values.unique().tolist()) == {sign * 2.0**k for sign in (-1, 1) for k in range(-2, 3)}


def test_near_one_is_neither_small_nor_large_nor_all_of_one_sign(draw):
    values = draw.near_one(1000)

    assert bool(((values.abs() >= 0.5) & (values.abs() < 2)).all())
    assert 400 < int((values > 0).sum()) < 600


def test_whole_and_even_stay_within_their_range(draw):
    assert {draw.whole(5, 9) for _ in range(200)} == {5, 6, 7, 8}
    assert {draw.even(10, 16) for _ in range(200)} == {10, 12, 14}


def test_a_permutation_holds_every_index_once(draw):
    assert sorted(draw.permutation(9).tolist()) == list(range(9))


def test_positions_are_integers_as_given(draw):
    assert draw.positions(3, 1, 1).tolist() == [3, 1, 1]
    assert draw.rows((0, 1), range(5, 7)).tolist() == [[0, 1], [5, 6]]
    assert draw.arange(2, 5).tolist() == [2, 3, 4]
    assert {draw.positions(3).dtype, draw.rows((0,)).dtype, draw.far_positions().dtype} == {torch.int64}


@pytest.mark.parametrize(
    "name", ["LayerNorm", "RMSNorm", "SwiGLU", "ReLUFeedForward", "TransformerBlock", "Transformer"]
)
def test_a_module_has_every_parameter_of_the_contract(name, draw):
    sizes = {"n_layers": 2, "dim": 8, "n_heads": 2, "n_kv_heads": 1, "hidden_dim": 6}

    spec = draw.module(name, sizes)

    assert {key: tuple(value.shape) for key, value in spec.weights.items()} == parameter_shapes(name, sizes)


def test_norms_of_a_bf16_module_stay_fp32(draw):
    spec = draw.module("TransformerBlock", {"dim": 8, "n_heads": 2, "n_kv_heads": 1, "hidden_dim": 6}, dtype="bf16")

    dtypes = {name: value.dtype for name, value in spec.weights.items()}

    assert {name for name, dtype in dtypes.items() if dtype == torch.float32} == {"attn_norm.weight", "ffn_norm.weight"}
    assert set(dtypes.values()) == {torch.float32, torch.bfloat16}


def test_gain_scales_linear_weights_by_their_inputs(draw):
    spec = draw.module("ReLUFeedForward", {"dim": 400, "hidden_dim": 100}, gain=2.0)

    assert abs(float(spec.weights["w_1.weight"].std()) - 2 / 20) < 0.005
    assert abs(float(spec.weights["w_2.weight"].std()) - 2 / 10) < 0.01


def test_zeroed_parameters_are_zero_and_the_others_are_not(draw):
    sizes = {"dim": 8, "n_heads": 2, "n_kv_heads": 1, "hidden_dim": 6}

    spec = draw.module("TransformerBlock", sizes, zero=("attn.w_o", "ffn_norm"))

    silent = {name for name, value in spec.weights.items() if not value.any()}
    assert silent == {"attn.w_o.weight", "ffn_norm.weight"}
