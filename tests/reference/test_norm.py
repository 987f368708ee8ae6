"""Section 4.1: what the reference promises about LayerNorm and RMSNorm."""

import math
import re

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from reference.norm import LayerNorm, RMSNorm, layer_norm, rms_norm

EXAMPLE = torch.tensor([1.0, 3.0], dtype=torch.float64)
ONES = torch.ones(2, dtype=torch.float64)
ZEROS = torch.zeros(2, dtype=torch.float64)


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_layer_norm_of_1_and_3_is_minus_1_and_1():
    y = layer_norm(EXAMPLE, ONES, ZEROS, eps=0.0)

    assert_close(y, torch.tensor([-1.0, 1.0], dtype=torch.float64))


def test_rms_norm_of_1_and_3_is_1_and_3_over_root_5():
    y = rms_norm(EXAMPLE, ONES, eps=0.0)

    assert_close(y, EXAMPLE / math.sqrt(5))
    assert_close(y, torch.tensor([0.4472, 1.3416], dtype=torch.float64), rtol=0, atol=5e-5)


def test_layer_norm_agrees_with_torch():
    x, weight, bias = rand(2, 3, 8), rand(8, seed=1), rand(8, seed=2)

    y = layer_norm(x, weight, bias, eps=1e-5)

    assert_close(y, torch.nn.functional.layer_norm(x, (8,), weight, bias, 1e-5))


def test_rms_norm_agrees_with_torch():
    x, weight = rand(2, 3, 8), rand(8, seed=1)

    y = rms_norm(x, weight, eps=1e-6)

    assert_close(y, torch.nn.functional.rms_norm(x, (8,), weight, 1e-6))


def test_layer_norm_ignores_a_shift_common_to_all_features():
    x, weight, bias = rand(3, 8), rand(8, seed=1), rand(8, seed=2)

    shifted = layer_norm(x + 5.0, weight, bias, eps=1e-5)

    assert_close(shifted, layer_norm(x, weight, bias, eps=1e-5))


def test_rms_norm_notices_a_shift_common_to_all_features():
    y = rms_norm(EXAMPLE, ONES, eps=0.0)

    shifted = rms_norm(EXAMPLE + 4.0, ONES, eps=0.0)

    assert_close(shifted, torch.tensor([5.0, 7.0], dtype=torch.float64) / math.sqrt(37))
    assert not torch.equal(shifted, y)


def test_rms_norm_makes_the_mean_square_1_and_the_length_root_d():
    y = rms_norm(rand(4, 16), torch.ones(16), eps=0.0)

    assert_close(y.square().mean(dim=-1), torch.ones(4, dtype=torch.float64))
    assert_close(y.norm(dim=-1), torch.full((4,), 4.0, dtype=torch.float64))


def test_rms_norm_flips_its_sign_with_its_input():
    x, weight = rand(3, 8), rand(8, seed=1)

    y = rms_norm(-3.0 * x, weight, eps=0.0)

    assert_close(y, -rms_norm(x, weight, eps=0.0))


def test_eps_stands_under_the_root():
    x = torch.zeros(2, dtype=torch.float64)
    x[0] = 2.0e-3

    y = rms_norm(x, ONES, eps=2.0e-6)

    assert_close(y[0], torch.tensor(1.0, dtype=torch.float64))


def test_norms_of_a_zero_vector_are_finite():
    zeros = torch.zeros(3, 4)

    assert torch.equal(RMSNorm(4)(zeros), zeros)
    assert torch.equal(LayerNorm(4)(zeros), zeros)


@pytest.mark.parametrize("norm", [LayerNorm(8), RMSNorm(8)])
def test_a_token_does_not_feel_its_neighbours(norm):
    x = rand(2, 5, 8)

    alone = norm(x[1:, 3:4])

    assert_close(norm(x)[1:, 3:4], alone)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("parameter_dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("norm", [LayerNorm, RMSNorm])
def test_output_dtype_is_input_dtype(norm, parameter_dtype, dtype):
    module = norm(8).to(parameter_dtype)

    y = module(rand(2, 3, 8, dtype=dtype))

    assert y.dtype == dtype


@pytest.mark.parametrize("norm", [LayerNorm(8), RMSNorm(8)])
def test_bf16_is_rounded_only_once_and_last(norm):
    norm.load_state_dict({**norm.state_dict(), "weight": rand(8, seed=1, dtype=torch.float32)})
    x = rand(4, 8, seed=2, dtype=torch.bfloat16)

    y = norm(x)

    assert torch.equal(y, norm(x.float()).bfloat16())


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_squares_of_fp16_do_not_leave_the_range(scale):
    x = torch.tensor([[1.0, 3.0]]) * scale

    y = rms_norm(x.half(), torch.ones(2), eps=0.0)

    assert_close(y.float(), torch.tensor([[0.4472, 1.3416]]), rtol=2**-9, atol=0)


def test_parameters_are_named_as_the_contract_says():
    assert {n: list(p.shape) for n, p in LayerNorm(8).named_parameters()} == {"weight": [8], "bias": [8]}
    assert {n: list(p.shape) for n, p in RMSNorm(8).named_parameters()} == {"weight": [8]}


def test_fresh_norms_have_gamma_1_and_beta_0():
    layer = LayerNorm(4)

    assert torch.equal(layer.weight, torch.ones(4))
    assert torch.equal(layer.bias, torch.zeros(4))
    assert torch.equal(RMSNorm(4).weight, torch.ones(4))


def test_default_eps_is_the_contracts():
    assert LayerNorm(4).eps == 1e-5
    assert RMSNorm(4).eps == 1e-6


@pytest.mark.parametrize("norm", [LayerNorm(8), RMSNorm(8)])
def test_input_is_not_changed(norm):
    x = rand(2, 8)
    before = x.clone()

    norm(x)

    assert torch.equal(x, before)


@pytest.mark.parametrize("norm", [LayerNorm(8), RMSNorm(8)])
def test_a_wrong_width_is_refused(norm):
    message = "x must be [..., D] for weight [D] = [8], got x [2, 1]"

    with pytest.raises(ValueError, match=re.escape(message)):
        norm(torch.ones(2, 1))


def test_layer_norm_has_right_gradients():
    x, weight, bias = (t.requires_grad_() for t in (rand(2, 3, 4), rand(4, seed=1), rand(4, seed=2)))

    assert torch.autograd.gradcheck(lambda *args: layer_norm(*args, eps=1e-5), (x, weight, bias))


def test_rms_norm_has_right_gradients():
    x, weight = rand(2, 3, 4).requires_grad_(), rand(4, seed=1).requires_grad_()

    assert torch.autograd.gradcheck(lambda *args: rms_norm(*args, eps=1e-6), (x, weight))


@pytest.mark.parametrize("norm", [LayerNorm(4), RMSNorm(4)])
def test_modules_have_right_gradients(norm):
    names = [name for name, _ in norm.named_parameters()]
    parameters = [rand(4, seed=i + 1).requires_grad_() for i in range(len(names))]

    def run(x, *values):
        return functional_call(norm, dict(zip(names, values, strict=True)), (x,))

    assert torch.autograd.gradcheck(run, (rand(2, 4).requires_grad_(), *parameters))
