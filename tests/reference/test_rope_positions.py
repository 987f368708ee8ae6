"""Section 4.5: what the reference promises about positions, tables and dtypes of rotary positions."""

import math
import re

import pytest
import torch
from torch.testing import assert_close

from reference.rope import apply_rope, rope_cos_sin, rotate


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def turn(vector, position):
    """R_p vector, for one head of one token."""
    return apply_rope(vector.reshape(1, 1, 1, -1), torch.tensor([position])).flatten()


def rotation_matrix(position, head_dim):
    """R_p as the chapter draws it: 2 by 2 rotations on the diagonal."""
    angles = [position * 10000.0 ** (-2 * r / head_dim) for r in range(head_dim // 2)]
    turns = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
    return torch.block_diag(*torch.tensor(turns, dtype=torch.float64))


def test_shared_positions_have_a_batch_axis_of_1():
    cos, sin = rope_cos_sin(torch.arange(5), 8)

    assert cos.shape == sin.shape == (1, 5, 1, 4)


def test_positions_of_each_sequence_keep_their_batch_axis():
    cos, sin = rope_cos_sin(torch.zeros(3, 5, dtype=torch.int64), 8)

    assert cos.shape == sin.shape == (3, 5, 1, 4)


def test_cos_and_sin_are_those_of_position_times_frequency():
    cos, sin = rope_cos_sin(torch.tensor([2, 9]), 4, dtype=torch.float64)

    angle = torch.tensor([[2.0, 0.02], [9.0, 0.09]], dtype=torch.float64).reshape(1, 2, 1, 2)
    assert_close(cos, angle.cos())
    assert_close(sin, angle.sin())


def test_positions_are_used_as_they_are():
    padded_packed = torch.tensor([[0, 0, 0, 1, 2], [0, 1, 0, 1, 131071]])
    x = rand(2, 5, 2, 4)

    y = apply_rope(x, padded_packed)

    expected = [[[turn(x[b, t, h], padded_packed[b, t].item()) for h in range(2)] for t in range(5)] for b in range(2)]
    assert_close(y, torch.stack([torch.stack([torch.stack(h) for h in t]) for t in expected]))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.int16, torch.uint8])
def test_every_integer_dtype_is_a_position(dtype):
    x = rand(1, 3, 1, 4)

    assert torch.equal(apply_rope(x, torch.arange(3, dtype=dtype)), apply_rope(x, torch.arange(3)))


def test_another_base_is_used():
    x = rand(1, 1, 1, 4)

    y = apply_rope(x, torch.tensor([7]), 100.0)

    cos, sin = rope_cos_sin(torch.tensor([7]), 4, 100.0, dtype=torch.float64)
    assert torch.equal(y, rotate(x, cos, sin))
    assert_close(cos.flatten(), torch.tensor([7.0, 0.7], dtype=torch.float64).cos())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_output_dtype_is_input_dtype(dtype):
    y = apply_rope(rand(2, 3, 2, 8, dtype=dtype), torch.arange(3))

    assert y.dtype == dtype


def test_bf16_is_rounded_only_once_and_last():
    x = rand(2, 5, 2, 8, dtype=torch.bfloat16)
    positions = torch.arange(5) + 4000

    y = apply_rope(x, positions)

    assert torch.equal(y, apply_rope(x.float(), positions).bfloat16())


def test_fp64_input_is_turned_in_fp64_even_far_out():
    position = 131071

    y = turn(rand(64), position)

    assert_close(y, rotation_matrix(position, 64) @ rand(64), rtol=0, atol=1e-9)


def test_autocast_does_not_reach_the_turn():
    x = rand(2, 5, 2, 8, dtype=torch.float32)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = apply_rope(x, torch.arange(5) + 300)

    assert torch.equal(y, apply_rope(x, torch.arange(5) + 300))


def test_inputs_are_not_changed():
    x, positions = rand(2, 5, 2, 8), torch.arange(5)
    x_before, positions_before = x.clone(), positions.clone()

    apply_rope(x, positions)

    assert torch.equal(x, x_before)
    assert torch.equal(positions, positions_before)


def test_a_transposed_view_turns_like_its_copy():
    view = rand(2, 3, 5, 8).transpose(1, 2)

    assert torch.equal(apply_rope(view, torch.arange(5)), apply_rope(view.contiguous(), torch.arange(5)))


@pytest.mark.parametrize("shape", [(4,), (6,), (2, 4), (3, 5), (1, 5), (5, 2), (2, 5, 1), ()])
def test_positions_of_another_shape_are_refused(shape):
    message = "positions must be [T] = [5] or [B, T] = [2, 5] for x [B, T, H, d] = [2, 5, 3, 4], got shape "

    with pytest.raises(ValueError, match=re.escape(message + str(list(shape)))):
        apply_rope(rand(2, 5, 3, 4), torch.zeros(shape, dtype=torch.int64))


@pytest.mark.parametrize("shape", [(), (2, 5, 1)])
def test_cos_sin_refuse_positions_without_or_with_too_many_axes(shape):
    message = f"positions must be [T] or [B, T], got shape {list(shape)}"

    with pytest.raises(ValueError, match=re.escape(message)):
        rope_cos_sin(torch.zeros(shape, dtype=torch.int64), 4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.complex64])
def test_positions_that_are_not_integers_are_refused(dtype):
    message = f"positions must be integers, got dtype {dtype}"

    with pytest.raises(ValueError, match=re.escape(message)):
        apply_rope(rand(1, 2, 1, 4), torch.zeros(2, dtype=dtype))


def test_x_without_heads_is_refused():
    with pytest.raises(ValueError, match=re.escape("x must be [B, T, H, d], got shape [2, 5, 4]")):
        apply_rope(rand(2, 5, 4), torch.arange(5))
