"""Sections 4.3 and 4.7: what the reference promises about attention, the function."""

import math
import re

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from reference.attention import causal_mask, grouped_query_attention


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def qkv(n_heads=4, n_kv_heads=2, tokens=5, seen=5, dtype=torch.float64):
    """q [2, T, Hq, 6], k and v [2, S, Hkv, 6]."""
    q = rand(2, tokens, n_heads, 6, seed=1, dtype=dtype)
    k, v = (rand(2, seen, n_kv_heads, 6, seed=s, dtype=dtype) for s in (2, 3))
    return q, k, v


@pytest.mark.parametrize("causal", [True, False])
def test_as_many_key_heads_as_query_heads_are_multi_head_attention(causal):
    q, k, v = qkv(n_heads=4, n_kv_heads=4)

    y = grouped_query_attention(q, k, v, causal)

    expected = scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=causal)
    assert_close(y, expected.transpose(1, 2))


def test_one_key_head_is_multi_query_attention():
    q, k, v = qkv(n_heads=4, n_kv_heads=1)

    y = grouped_query_attention(q, k, v)

    alone = [grouped_query_attention(q[:, :, h : h + 1], k, v) for h in range(4)]
    assert_close(y, torch.cat(alone, dim=2))


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(4, 2), (6, 2), (6, 3), (6, 1), (6, 6)])
def test_query_head_reads_the_key_head_of_its_group(n_heads, n_kv_heads):
    q, k, v = qkv(n_heads, n_kv_heads)

    y = grouped_query_attention(q, k, v)

    owner = [h // (n_heads // n_kv_heads) for h in range(n_heads)]
    assert_close(y, grouped_query_attention(q, k[:, :, owner], v[:, :, owner]))


def test_query_heads_of_one_group_attend_each_in_its_own_way():
    q, k, v = qkv(n_heads=2, n_kv_heads=1)

    y = grouped_query_attention(q, k, v)

    assert (y[:, 1:, 0] - y[:, 1:, 1]).abs().amin() > 0


def test_scores_are_divided_by_root_d():
    q = torch.full((1, 1, 1, 4), 1.0, dtype=torch.float64)
    k = torch.stack([torch.zeros(4), torch.full((4,), 0.5)]).double().reshape(1, 2, 1, 4)
    v = torch.tensor([0.0, 1.0], dtype=torch.float64).reshape(1, 2, 1, 1).expand(1, 2, 1, 4)

    y = grouped_query_attention(q, k, v)

    assert_close(y, torch.full_like(y, 1 / (1 + math.exp(-1.0))))


def test_the_first_query_sees_only_itself():
    q, k, v = qkv(n_heads=2, n_kv_heads=2)

    y = grouped_query_attention(q, k, v)

    assert_close(y[:, 0], v[:, 0])


def test_a_query_does_not_see_later_keys():
    q, k, v = qkv()
    k_later, v_later = k.clone(), v.clone()
    k_later[:, 3:], v_later[:, 3:] = 100.0, 100.0

    y = grouped_query_attention(q, k_later, v_later)

    assert_close(y[:, :3], grouped_query_attention(q, k, v)[:, :3])


@pytest.mark.parametrize("tokens", [1, 2, 4])
def test_queries_are_the_last_of_the_seen_tokens(tokens):
    q, k, v = qkv()

    y = grouped_query_attention(q[:, -tokens:], k, v)

    assert_close(y, grouped_query_attention(q, k, v)[:, -tokens:])


def test_without_causal_every_query_sees_every_key():
    q, k, v = qkv(tokens=3, seen=7)

    y = grouped_query_attention(torch.zeros_like(q), k, v, causal=False)

    assert_close(y, v.mean(dim=1, keepdim=True).repeat_interleave(2, dim=2).expand(2, 3, 4, 6))


def test_more_queries_than_keys_are_welcome_without_causal():
    q, k, v = qkv(tokens=7, seen=3)

    assert grouped_query_attention(q, k, v, causal=False).shape == (2, 7, 4, 6)


def test_without_mask_and_positions_attention_follows_a_reordering():
    q, k, v = qkv()
    order = torch.tensor([3, 0, 4, 1, 2])

    y = grouped_query_attention(q[:, order], k[:, order], v[:, order], causal=False)

    assert_close(y, grouped_query_attention(q, k, v, causal=False)[:, order])


def test_the_causal_mask_alone_breaks_the_symmetry():
    q, k, v = qkv()
    order = torch.tensor([3, 0, 4, 1, 2])

    y = grouped_query_attention(q[:, order], k[:, order], v[:, order])

    assert (y - grouped_query_attention(q, k, v)[:, order]).abs().amax() > 0.1


def test_causal_mask_stands_in_the_bottom_right_corner():
    hidden = causal_mask(2, 4)

    assert torch.equal(hidden, torch.tensor([[False, False, False, True], [False, False, False, False]]))


def test_large_scores_do_not_overflow():
    q, k, v = qkv()

    y = grouped_query_attention(q * 1e4, k * 1e4, v)

    assert torch.isfinite(y).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_output_dtype_is_query_dtype(dtype):
    assert grouped_query_attention(*qkv(dtype=dtype)).dtype == dtype


def test_bf16_is_rounded_only_once_and_last():
    q, k, v = qkv(dtype=torch.bfloat16)

    y = grouped_query_attention(q, k, v)

    assert torch.equal(y, grouped_query_attention(q.float(), k.float(), v.float()).bfloat16())


def test_views_give_what_copies_give():
    q, k, v = (t.transpose(1, 2).contiguous().transpose(1, 2) for t in qkv())

    y = grouped_query_attention(q, k, v)

    assert_close(y, grouped_query_attention(*(t.contiguous() for t in (q, k, v))))


def test_inputs_are_not_changed():
    inputs = qkv()

    grouped_query_attention(*inputs)

    assert all(torch.equal(actual, expected) for actual, expected in zip(inputs, qkv(), strict=True))


def test_heads_that_do_not_divide_are_refused():
    message = "n_heads must be divisible by n_kv_heads, got n_heads = 4 and n_kv_heads = 3"

    with pytest.raises(ValueError, match=re.escape(message)):
        grouped_query_attention(*qkv(n_heads=4, n_kv_heads=3))


def test_more_queries_than_keys_are_refused_when_causal():
    message = "q must have at most as many tokens as k when causal, got T = 5 and S = 3"

    with pytest.raises(ValueError, match=re.escape(message)):
        grouped_query_attention(*qkv(tokens=5, seen=3))


def test_values_of_another_shape_than_keys_are_refused():
    q, k, v = qkv()
    message = "k and v must both be [B, S, Hkv, d], got k [2, 5, 2, 6] and v [2, 4, 2, 6]"

    with pytest.raises(ValueError, match=re.escape(message)):
        grouped_query_attention(q, k, v[:, :4])


def test_queries_without_a_head_axis_are_refused():
    q, k, v = qkv()

    with pytest.raises(ValueError, match=re.escape("q must be [B, T, Hq, d], got shape [2, 5, 6]")):
        grouped_query_attention(q[:, :, 0], k, v)


def test_keys_of_another_width_are_refused():
    q, k, v = qkv()
    message = "q and k must have the same B and d, got q [2, 5, 4, 4] and k [2, 5, 2, 6]"

    with pytest.raises(ValueError, match=re.escape(message)):
        grouped_query_attention(q[..., :4], k, v)


@pytest.mark.parametrize("causal", [True, False])
def test_attention_has_right_gradients(causal):
    q, k, v = rand(1, 2, 4, 2), rand(1, 3, 2, 2, seed=1), rand(1, 3, 2, 2, seed=2)

    assert torch.autograd.gradcheck(
        lambda *args: grouped_query_attention(*args, causal=causal), [t.requires_grad_() for t in (q, k, v)]
    )
