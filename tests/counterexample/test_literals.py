"""Tensors written as expressions are those tensors again."""

from __future__ import annotations

import pytest
import torch

from grader.counterexample.entries import VARIANTS, WEIGHTED, filled, shaped_as, view_of
from grader.counterexample.literals import count, is_plain, shown, state_dict, written
from grader.counterexample.steps import Step

TENSORS = {
    "whole numbers": torch.arange(1.0, 5.0).reshape(1, 2, 2),
    "long range": torch.arange(60.0).reshape(1, 60, 1, 1),
    "positions": torch.tensor([[0, 1], [5, 131072]]),
    "random": torch.randn(3, 5, generator=torch.Generator().manual_seed(1)),
    "bf16": torch.randn(3, 5, generator=torch.Generator().manual_seed(2)).bfloat16(),
    "bf16 constant": torch.full((2, 3), 255 / 128, dtype=torch.bfloat16),
    "tiny": torch.tensor([1e-30, -3.14159e-8, 1e20, 16777216.0, 0.0]),
    "identity": torch.eye(3),
    "two identities": 2 * torch.eye(2, 3),
    "ones": torch.ones(4),
    "zeros": torch.zeros(2, 2, dtype=torch.bfloat16),
    "one": torch.tensor([1.0]),
    "transposed": torch.arange(24.0).reshape(2, 3, 4).transpose(0, 1),
    "sliced": torch.arange(24.0).reshape(2, 3, 4)[:, 1:],
    "first axis cut": torch.arange(24.0).reshape(4, 3, 2)[1:2],
}


@pytest.mark.parametrize("name", TENSORS)
def test_what_is_written_makes_the_same_tensor(name):
    tensor = shaped_as(TENSORS[name], TENSORS[name])

    again = eval(written(tensor), {"torch": torch})

    assert again.dtype == tensor.dtype
    assert torch.equal(again, tensor)
    assert again.is_contiguous() == tensor.is_contiguous()
    assert view_of(again) == view_of(tensor) or again.is_contiguous()


def test_readers_see_whole_numbers_as_such():
    assert shown(torch.tensor([[[1.0, -2.0, 0.5]]])) == "[[[1, -2, 0.5]]]"


def test_a_state_dict_gives_every_parameter_its_value():
    weights = {
        "w_q.weight": torch.eye(2),
        "w_k.weight": torch.eye(2),
        "w_v.weight": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
    }

    again = eval(state_dict(weights, "module"), {"torch": torch})

    assert again.keys() == weights.keys()
    assert all(torch.equal(again[name], weights[name]) for name in weights)


@pytest.mark.parametrize("variant", [*VARIANTS, *WEIGHTED])
@pytest.mark.parametrize("name", ["x", "q", "k", "v", "weight", "bias", "cotangent"])
def test_plain_numbers_are_few_and_exact_in_bf16(name, variant):
    like = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(3)).bfloat16()

    plain = filled(name, (3,), like, variant)

    assert plain.dtype == torch.bfloat16
    assert bool((plain.abs() < 16).all())


def test_small_inputs_stay_small_and_constant_ones_constant():
    assert float(filled("x", (2, 2), torch.tensor([1e-3, -2e-3]), 1).abs().max()) < 0.01
    assert filled("v", (2,), torch.full((5,), 3.0), 1).tolist() == [3.0, 3.0]


def test_only_numbers_that_must_be_written_down_are_counted():
    build = Step(
        "build", "GroupedQueryAttention", weights={"w_q.weight": torch.eye(2), "w_k.weight": torch.ones(2, 2) * 3}
    )
    call = Step("call", "GroupedQueryAttention", 0, {"x": torch.ones(1, 2, 2), "positions": torch.arange(2)})
    uneven = Step("build", "RMSNorm", weights={"weight": torch.tensor([1.0, 2.0])})

    assert count([build, call]) == 4 + 2
    assert count([uneven]) == 2
    assert is_plain(torch.eye(2, 3))
    assert not is_plain(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
