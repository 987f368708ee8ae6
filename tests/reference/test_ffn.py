"""Section 4.6: what the reference promises about feed-forward layers."""

import re

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from reference.ffn import ReLUFeedForward, SwiGLU, relu_feed_forward, silu, swiglu, swiglu_hidden_dim


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def count(module):
    return sum(p.numel() for p in module.parameters())


def test_swiglu_has_3_d_f_parameters():
    assert count(SwiGLU(12, 32)) == 3 * 12 * 32


def test_classic_layer_has_2_d_f_parameters():
    assert count(ReLUFeedForward(12, 32)) == 2 * 12 * 32


def test_at_8_d_over_3_swiglu_is_as_large_as_the_classic_layer_at_4_d():
    assert count(SwiGLU(12, swiglu_hidden_dim(12))) == count(ReLUFeedForward(12, 4 * 12))


def test_parameters_are_named_as_the_contract_says():
    swiglu_shapes = {n: list(p.shape) for n, p in SwiGLU(4, 6).named_parameters()}
    relu_shapes = {n: list(p.shape) for n, p in ReLUFeedForward(4, 6).named_parameters()}

    assert swiglu_shapes == {"w_gate.weight": [6, 4], "w_up.weight": [6, 4], "w_down.weight": [4, 6]}
    assert relu_shapes == {"w_1.weight": [6, 4], "w_2.weight": [4, 6]}


def test_derivative_of_silu_is_the_chapters():
    z = torch.linspace(-6, 6, 25, dtype=torch.float64, requires_grad=True)

    (slope,) = torch.autograd.grad(silu(z).sum(), z)

    s = torch.sigmoid(z.detach())
    assert_close(slope, s + z.detach() * s * (1 - s))


def test_silu_agrees_with_torch():
    assert_close(silu(rand(50)), torch.nn.functional.silu(rand(50)))


def test_silu_dips_below_0():
    assert silu(torch.tensor(-1.0)) < 0


def test_gate_is_not_bounded_by_1():
    assert silu(torch.tensor(5.0)) > 1


def test_swiglu_by_hand():
    x = torch.tensor([2.0], dtype=torch.float64)
    gate, up, down = (torch.tensor([[w]], dtype=torch.float64) for w in (0.5, 3.0, -1.0))

    y = swiglu(x, gate, up, down)

    assert_close(y, -6.0 * torch.sigmoid(torch.tensor([1.0], dtype=torch.float64)))


def test_only_the_gate_goes_through_silu():
    x, gate, up, down = rand(3, 4), rand(6, 4, seed=1), rand(6, 4, seed=2), rand(4, 6, seed=3)

    y = swiglu(x, gate, up, down)

    assert_close(swiglu(x, gate, -2.0 * up, down), -2.0 * y)


def test_swiglu_is_the_chapters_formula():
    x, module = rand(2, 3, 4), SwiGLU(4, 6).double()
    w_gate, w_up, w_down = (p.detach().T for p in module.parameters())

    y = module(x)

    assert_close(y, (torch.nn.functional.silu(x @ w_gate) * (x @ w_up)) @ w_down)


def test_classic_layer_is_the_chapters_formula():
    x, module = rand(2, 3, 4), ReLUFeedForward(4, 6).double()
    w_1, w_2 = (p.detach().T for p in module.parameters())

    y = module(x)

    assert_close(y, (x @ w_1).clamp(min=0) @ w_2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("parameter_dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("ffn", [ReLUFeedForward, SwiGLU])
def test_output_dtype_is_input_dtype(ffn, parameter_dtype, dtype):
    module = ffn(4, 6).to(parameter_dtype)

    y = module(rand(2, 3, 4, dtype=dtype))

    assert y.dtype == dtype


@pytest.mark.parametrize("ffn", [ReLUFeedForward(4, 6), SwiGLU(4, 6)])
def test_bf16_is_rounded_only_once_and_last(ffn):
    x = rand(2, 3, 4, dtype=torch.bfloat16)

    assert torch.equal(ffn(x), ffn(x.float()).bfloat16())


@pytest.mark.parametrize(
    ("dim", "multiple_of", "hidden_dim"), [(12, 1, 32), (64, 1, 171), (64, 64, 192), (4096, 256, 11008), (3, 8, 8)]
)
def test_hidden_dim_is_8_d_over_3_rounded_up_to_a_multiple(dim, multiple_of, hidden_dim):
    assert swiglu_hidden_dim(dim, multiple_of) == hidden_dim


@pytest.mark.parametrize(("dim", "multiple_of"), [(0, 1), (-8, 1), (8, 0)])
def test_hidden_dim_of_nothing_is_refused(dim, multiple_of):
    message = f"dim and multiple_of must be positive, got dim = {dim} and multiple_of = {multiple_of}"

    with pytest.raises(ValueError, match=re.escape(message)):
        swiglu_hidden_dim(dim, multiple_of)


def test_silu_has_right_gradients():
    assert torch.autograd.gradcheck(silu, (rand(6).requires_grad_(),))


def test_relu_feed_forward_has_right_gradients():
    inputs = [rand(3, 4), rand(5, 4, seed=1), rand(4, 5, seed=2)]

    assert torch.autograd.gradcheck(relu_feed_forward, [t.requires_grad_() for t in inputs])


def test_swiglu_has_right_gradients():
    inputs = [rand(3, 4), rand(5, 4, seed=1), rand(5, 4, seed=2), rand(4, 5, seed=3)]

    assert torch.autograd.gradcheck(swiglu, [t.requires_grad_() for t in inputs])


@pytest.mark.parametrize("ffn", [ReLUFeedForward(4, 5), SwiGLU(4, 5)])
def test_modules_have_right_gradients(ffn):
    names = [name for name, _ in ffn.named_parameters()]
    parameters = [rand(*p.shape, seed=i + 1).requires_grad_() for i, p in enumerate(ffn.parameters())]

    def run(x, *values):
        return functional_call(ffn, dict(zip(names, values, strict=True)), (x,))

    assert torch.autograd.gradcheck(run, (rand(2, 4).requires_grad_(), *parameters))
