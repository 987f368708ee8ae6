"""Sections 4.5 and 4.7: what the reference promises about the attention layer, its cache and the cache's size."""

import re

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from reference.attention import GroupedQueryAttention, grouped_query_attention, kv_cache_bytes
from reference.kv_cache import KVCache
from reference.rope import apply_rope


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def layer(dim=16, n_heads=4, n_kv_heads=2, base=10000.0):
    attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base).double()
    attn.load_state_dict({n: rand(*p.shape, seed=i) / 4 for i, (n, p) in enumerate(attn.state_dict().items())})
    return attn


def decode(attn, x, chunks):
    """Feed x in chunks of the given sizes through one cache."""
    cache = KVCache()
    return torch.cat([attn(chunk, cache=cache) for chunk in x.split(chunks, dim=1)], dim=1)


def test_layer_is_project_turn_attend_project():
    attn, x, positions = layer(base=500.0), rand(2, 5, 16), torch.tensor([3, 1, 4, 1, 5])
    w_q, w_k, w_v, w_o = (p.detach().T for p in attn.parameters())

    y = attn(x, positions)

    q = apply_rope((x @ w_q).unflatten(-1, (4, 4)), positions, 500.0)
    k = apply_rope((x @ w_k).unflatten(-1, (2, 4)), positions, 500.0)
    v = (x @ w_v).unflatten(-1, (2, 4))
    assert_close(y, grouped_query_attention(q, k, v).flatten(2) @ w_o)


def test_parameters_are_named_as_the_contract_says():
    shapes = {n: list(p.shape) for n, p in layer().named_parameters()}

    assert shapes == {"w_q.weight": [16, 16], "w_k.weight": [8, 16], "w_v.weight": [8, 16], "w_o.weight": [16, 16]}


def test_layer_keeps_no_tables():
    assert list(layer().buffers()) == []


def test_positions_begin_at_0_without_a_cache():
    attn, x = layer(), rand(2, 5, 16)

    assert torch.equal(attn(x), attn(x, torch.arange(5)))


def test_only_distances_between_positions_matter():
    attn, x = layer(), rand(2, 5, 16)

    assert_close(attn(x, torch.arange(5) + 1000), attn(x))


def test_left_padded_sequence_gets_the_positions_of_its_own():
    attn, x = layer(), rand(2, 5, 16)
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])

    y = attn(x, positions)

    assert_close(y[:1], attn(x[:1], torch.arange(5)))
    assert_close(y[1:], attn(x[1:], positions[1]))


@pytest.mark.parametrize("chunks", [[7], [4, 3], [1, 5, 1], [4, 1, 1, 1], [1] * 7])
@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_decoding_in_chunks_gives_what_one_call_gives(n_kv_heads, chunks):
    attn, x = layer(n_kv_heads=n_kv_heads), rand(2, 7, 16)

    y = decode(attn, x, chunks)

    assert_close(y, attn(x))


def test_decoding_with_positions_of_each_sequence_gives_what_one_call_gives():
    attn, x, cache = layer(), rand(2, 5, 16), KVCache()
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])

    steps = [attn(x[:, t : t + 1], positions[:, t : t + 1], cache) for t in range(5)]

    assert_close(torch.cat(steps, dim=1), attn(x, positions))


def test_cache_holds_turned_keys_and_unturned_values_once_a_key_head():
    attn, x, cache = layer(), rand(2, 5, 16), KVCache()

    attn(x[:, :3], cache=cache)
    attn(x[:, 3:], cache=cache)

    k, v = ((x @ p.detach().T).unflatten(-1, (2, 4)) for p in (attn.w_k.weight, attn.w_v.weight))
    assert_close(cache.keys, apply_rope(k, torch.arange(5)))
    assert_close(cache.values, v)


def test_cache_is_bf16_for_a_bf16_layer():
    cache = KVCache()

    layer().float()(rand(2, 5, 16, dtype=torch.bfloat16), cache=cache)

    assert cache.keys.dtype == cache.values.dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("parameter_dtype", [torch.bfloat16, torch.float32])
def test_layer_output_dtype_is_input_dtype(parameter_dtype, dtype):
    y = layer().to(parameter_dtype)(rand(2, 5, 16, dtype=dtype))

    assert y.dtype == dtype


def test_sequences_of_a_batch_do_not_meet():
    attn, x = layer(), rand(2, 5, 16)

    assert_close(attn(x)[1:], attn(x[1:]))


@pytest.mark.parametrize(
    ("dim", "n_heads", "n_kv_heads", "message"),
    [
        (16, 4, 3, "n_heads must be divisible by n_kv_heads, got n_heads = 4 and n_kv_heads = 3"),
        (16, 2, 4, "n_heads must be divisible by n_kv_heads, got n_heads = 2 and n_kv_heads = 4"),
        (18, 4, 2, "dim must be divisible by n_heads, got dim = 18 and n_heads = 4"),
        (12, 4, 2, "must be even, because RoPE turns features in pairs; got 3 from dim = 12 and n_heads = 4"),
        (16, 4, 0, "dim, n_heads and n_kv_heads must be positive, got 16, 4 and 0"),
        (0, 4, 2, "dim, n_heads and n_kv_heads must be positive, got 0, 4 and 2"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(dim, n_heads, n_kv_heads, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        GroupedQueryAttention(dim, n_heads, n_kv_heads)


def test_layer_refuses_positions_of_another_shape():
    message = "positions must be [T] = [5] or [B, T] = [2, 5] for x [B, T, H, d] = [2, 5, 4, 4], got shape [4]"

    with pytest.raises(ValueError, match=re.escape(message)):
        layer()(rand(2, 5, 16), torch.arange(4))


def test_layer_refuses_x_without_a_batch():
    with pytest.raises(ValueError, match=re.escape("x must be [B, T, D], got shape [5, 16]")):
        layer()(rand(5, 16))


def test_layer_has_right_gradients():
    attn = GroupedQueryAttention(8, 4, 2)
    names = [name for name, _ in attn.named_parameters()]
    parameters = [rand(*p.shape, seed=i + 1).requires_grad_() for i, p in enumerate(attn.parameters())]

    def run(x, *values):
        return functional_call(attn, dict(zip(names, values, strict=True)), (x, torch.tensor([4, 0, 9])))

    assert torch.autograd.gradcheck(run, (rand(1, 3, 8).requires_grad_(), *parameters))


def test_cache_of_a_llama_sized_model_in_bf16():
    size = kv_cache_bytes(batch=1, length=4096, n_layers=32, n_kv_heads=8, head_dim=128, bytes_per_element=2)

    assert size == 2 * 32 * 1 * 4096 * 8 * 128 * 2 == 512 * 1024**2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_cache_bytes_are_those_of_a_real_cache(dtype):
    cache = KVCache()
    layer().to(dtype)(rand(2, 5, 16, dtype=dtype), cache=cache)

    size = kv_cache_bytes(2, 5, 1, 2, 4, dtype.itemsize)

    assert size == cache.keys.nbytes + cache.values.nbytes
