"""Section 4.4: what the reference promises about the turn of rotary positions."""

import math
import re

import pytest
import torch
from torch.testing import assert_close

from reference.rope import apply_rope, rope_cos_sin, rope_frequencies, rotate

Q = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
K = torch.tensor([4.0, 3.0, 2.0, 1.0], dtype=torch.float64)


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


def test_frequencies_of_width_4_are_1_and_a_hundredth():
    assert_close(rope_frequencies(4), torch.tensor([1.0, 0.01]))


def test_frequencies_are_powers_of_the_base():
    expected = torch.tensor([500.0 ** (-2 * r / 10) for r in range(5)], dtype=torch.float64)

    assert_close(rope_frequencies(10, 500.0, dtype=torch.float64), expected, rtol=1e-15, atol=0)


def test_frequencies_and_angles_are_fp32_unless_asked():
    cos, sin = rope_cos_sin(torch.arange(3), 4)

    assert rope_frequencies(4).dtype == cos.dtype == sin.dtype == torch.float32
    assert rope_frequencies(4, dtype=torch.float64).dtype == torch.float64
    assert rope_cos_sin(torch.arange(3), 4, dtype=torch.float64).sin.dtype == torch.float64


def test_query_of_the_chapter_turned_to_position_1():
    assert_close(turn(Q, 1), torch.tensor([-1.1426, 1.9221, 2.9599, 4.0298]).double(), rtol=0, atol=5e-5)


def test_key_of_the_chapter_turned_to_position_3():
    assert_close(turn(K, 3), torch.tensor([-4.3833, -2.4055, 1.9691, 1.0595]).double(), rtol=0, atol=5e-5)


@pytest.mark.parametrize(("m", "n"), [(1, 3), (11, 13), (0, 2), (131069, 131071)])
def test_dot_product_of_the_chapter_depends_on_the_distance_alone(m, n):
    product = turn(Q, m) @ turn(K, n)

    assert_close(product, torch.tensor(10.4830).double(), rtol=0, atol=5e-5)


def test_dot_product_of_the_chapter_is_q_r2_k():
    assert_close(turn(Q, 1) @ turn(K, 3), Q @ rotation_matrix(2, 4) @ K)


def test_dot_product_depends_on_which_comes_first():
    assert_close(turn(Q, 3) @ turn(K, 1), torch.tensor(1.1901).double(), rtol=0, atol=5e-5)


@pytest.mark.parametrize(("m", "n"), [(0, 0), (2, 7), (7, 2)])
def test_two_dimensions_follow_the_chapters_formula(m, n):
    (a, b), (c, d) = q, k = torch.tensor([[1.5, -0.5], [0.25, 2.0]], dtype=torch.float64)

    product = turn(q, m) @ turn(k, n)

    assert_close(product, (a * c + b * d) * math.cos(n - m) + (b * c - a * d) * math.sin(n - m))


@pytest.mark.parametrize("position", [0, 1, 5, 1000])
@pytest.mark.parametrize("head_dim", [2, 4, 6, 16])
def test_turning_is_the_chapters_block_diagonal_matrix(head_dim, position):
    x = rand(head_dim)

    assert_close(turn(x, position), rotation_matrix(position, head_dim) @ x)


def test_transposed_turn_and_turn_make_the_difference():
    eye = torch.eye(8, dtype=torch.float64).reshape(8, 1, 1, 8)
    r_m, r_n, r_diff = (apply_rope(eye, torch.tensor([p])).reshape(8, 8).T for p in (5, 12, 7))

    assert_close(r_m.T @ r_n, r_diff)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_position_0_changes_nothing(dtype):
    x = rand(2, 3, 2, 8, dtype=dtype)

    assert torch.equal(apply_rope(x, torch.zeros(3, dtype=torch.int64)), x)


def test_turning_keeps_the_length_of_every_pair():
    x = rand(2, 5, 3, 8)

    y = apply_rope(x, torch.tensor([0, 3, 4096, 131071, 7]))

    assert_close(y.unflatten(-1, (4, 2)).norm(dim=-1), x.unflatten(-1, (4, 2)).norm(dim=-1))


def test_pairs_are_neighbours():
    x = torch.zeros(1, 1, 1, 6, dtype=torch.float64)
    x[..., 2] = 1.0

    y = apply_rope(x, torch.tensor([3]))

    assert torch.equal(y.flatten().nonzero().flatten(), torch.tensor([2, 3]))


def test_all_heads_turn_alike():
    x = rand(2, 5, 1, 8)

    y = apply_rope(x.expand(2, 5, 3, 8), torch.arange(5))

    assert torch.equal(y, apply_rope(x, torch.arange(5)).expand(2, 5, 3, 8))


@pytest.mark.parametrize("head_dim", [5, 1, 0, -2])
def test_odd_or_empty_heads_are_refused(head_dim):
    message = f"head_dim must be positive and even, because features turn in pairs; got {head_dim}"

    with pytest.raises(ValueError, match=re.escape(message)):
        rope_frequencies(head_dim)


def test_apply_rope_refuses_odd_heads():
    with pytest.raises(ValueError, match="head_dim must be positive and even"):
        apply_rope(rand(1, 2, 1, 5), torch.arange(2))


def test_apply_rope_has_right_gradients():
    x = rand(2, 3, 2, 4).requires_grad_()

    assert torch.autograd.gradcheck(lambda x: apply_rope(x, torch.tensor([[0, 5, 2], [9, 9, 1]])), (x,))


def test_rotate_has_right_gradients():
    x, cos, sin = (t.requires_grad_() for t in (rand(2, 3, 2, 4), rand(1, 3, 1, 2, seed=1), rand(1, 3, 1, 2, seed=2)))

    assert torch.autograd.gradcheck(rotate, (x, cos, sin))
