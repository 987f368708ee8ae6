"""Sections 4.6 and 4.7: what the reference promises about its projection."""

import re

import pytest
import torch
from torch.testing import assert_close

from reference.linear import project


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_weights_are_stored_as_nn_linear_stores_them():
    x, linear = rand(2, 3, 4), torch.nn.Linear(4, 6, bias=False, dtype=torch.float64)

    assert_close(project(x, linear.weight), linear(x))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("weight_dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_output_dtype_is_input_dtype(weight_dtype, dtype):
    y = project(rand(2, 4, dtype=dtype), rand(6, 4, dtype=weight_dtype))

    assert y.dtype == dtype


def test_bf16_is_rounded_only_once_and_last():
    x, weight = rand(2, 4, dtype=torch.bfloat16), rand(6, 4, seed=1, dtype=torch.float32)

    assert torch.equal(project(x, weight), project(x.float(), weight).bfloat16())


def test_a_wrong_width_is_refused():
    with pytest.raises(ValueError, match=re.escape("x must be [..., 4] for weight [6, 4], got x [2, 3]")):
        project(rand(2, 3), rand(6, 4))


def test_project_has_right_gradients():
    assert torch.autograd.gradcheck(project, (rand(2, 3, 4).requires_grad_(), rand(5, 4).requires_grad_()))
