"""Sections 4.5 and 4.7: what the reference promises about the cache."""

import re

import pytest
import torch

from reference.kv_cache import KVCache


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_a_new_cache_is_empty():
    cache = KVCache()

    assert cache.length == 0
    assert cache.keys is None
    assert cache.values is None


def test_new_tokens_come_last():
    k, v, cache = rand(2, 5, 3, 4), rand(2, 5, 3, 4, seed=1), KVCache()

    cache.append(k[:, :2], v[:, :2])
    cache.append(k[:, 2:4], v[:, 2:4])
    keys, values = cache.append(k[:, 4:], v[:, 4:])

    assert torch.equal(keys, k)
    assert torch.equal(values, v)


def test_what_append_returns_is_what_the_cache_holds():
    cache = KVCache()

    history = cache.append(rand(2, 5, 3, 4), rand(2, 5, 3, 4, seed=1))

    assert torch.equal(cache.keys, history.keys)
    assert torch.equal(cache.values, history.values)


def test_length_counts_tokens():
    cache = KVCache()
    lengths = [cache.append(rand(2, t, 3, 4), rand(2, t, 3, 4)).keys.shape[1] for t in (5, 1, 2)]

    assert lengths == [5, 6, 8]
    assert cache.length == 8


def test_an_earlier_answer_stays_as_it_was():
    k, v, cache = rand(2, 5, 3, 4), rand(2, 5, 3, 4, seed=1), KVCache()
    first = cache.append(k, v)

    cache.append(rand(2, 1, 3, 4, seed=2), rand(2, 1, 3, 4, seed=3))

    assert torch.equal(first.keys, rand(2, 5, 3, 4))
    assert torch.equal(first.values, rand(2, 5, 3, 4, seed=1))


def test_two_caches_share_nothing():
    one, other = KVCache(), KVCache()

    one.append(rand(2, 5, 3, 4), rand(2, 5, 3, 4))

    assert other.length == 0
    assert other.keys is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_dtype_is_kept(dtype):
    cache = KVCache()

    cache.append(rand(1, 2, 1, 4, dtype=dtype), rand(1, 2, 1, 4, dtype=dtype))
    keys, values = cache.append(rand(1, 1, 1, 4, dtype=dtype), rand(1, 1, 1, 4, dtype=dtype))

    assert keys.dtype == values.dtype == dtype


def test_keys_and_values_of_different_shapes_are_refused():
    message = "k and v must both be [B, T, Hkv, d], got k [1, 2, 1, 4] and v [1, 3, 1, 4]"

    with pytest.raises(ValueError, match=re.escape(message)):
        KVCache().append(rand(1, 2, 1, 4), rand(1, 3, 1, 4))


def test_keys_without_a_head_axis_are_refused():
    with pytest.raises(ValueError, match=re.escape("got k [1, 2, 4] and v [1, 2, 4]")):
        KVCache().append(rand(1, 2, 4), rand(1, 2, 4))


@pytest.mark.parametrize("shape", [(2, 1, 3, 4), (1, 1, 2, 4), (1, 1, 3, 6)])
def test_keys_that_do_not_fit_the_history_are_refused(shape):
    cache = KVCache()
    cache.append(rand(1, 2, 3, 4), rand(1, 2, 3, 4))
    message = (
        "k must be [B, T, Hkv, d] = [1, T, 3, 4] in torch.float64, like the history; "
        f"got {list(shape)} in torch.float64"
    )

    with pytest.raises(ValueError, match=re.escape(message)):
        cache.append(rand(*shape), rand(*shape))


def test_a_refused_append_leaves_the_cache_as_it_was():
    cache = KVCache()
    cache.append(rand(1, 2, 3, 4), rand(1, 2, 3, 4))

    with pytest.raises(ValueError, match=re.escape("v must be")):
        cache.append(rand(1, 1, 3, 4), rand(1, 1, 3, 4, dtype=torch.float32))

    assert cache.length == 2
    assert torch.equal(cache.keys, rand(1, 2, 3, 4))


def test_append_has_right_gradients():
    k, v = rand(1, 3, 2, 2).requires_grad_(), rand(1, 3, 2, 2, seed=1).requires_grad_()

    def run(k, v):
        cache = KVCache()
        cache.append(k[:, :2], v[:, :2])
        return tuple(cache.append(k[:, 2:], v[:, 2:]))

    assert torch.autograd.gradcheck(run, (k, v))
