"""Section 4.2: what the reference promises about pre-norm blocks and their stack."""

import re

import pytest
import torch
from torch.func import functional_call
from torch.testing import assert_close

from reference.block import Transformer, TransformerBlock
from reference.kv_cache import KVCache


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def randomized(module):
    """Draw every parameter anew, so that no gamma is 1."""
    state = {name: rand(*p.shape, seed=i) * 0.5 for i, (name, p) in enumerate(module.state_dict().items())}
    module.double().load_state_dict(state)
    return module


def block():
    return randomized(TransformerBlock(dim=16, n_heads=4, n_kv_heads=2, hidden_dim=24))


def transformer(n_layers=2):
    return randomized(Transformer(n_layers, dim=16, n_heads=4, n_kv_heads=2, hidden_dim=24))


def silence(sublayer):
    """Make a sublayer answer 0."""
    torch.nn.init.zeros_(sublayer.weight)


def decode(model, x, chunks):
    """Feed x in chunks of the given sizes through one cache a layer."""
    caches = [KVCache() for _ in model.blocks]
    return torch.cat([model(chunk, caches=caches) for chunk in x.split(chunks, dim=1)], dim=1)


def test_with_both_sublayers_silent_a_block_changes_nothing():
    layer, x = block(), rand(2, 5, 16)
    silence(layer.attn.w_o)
    silence(layer.ffn.w_down)

    assert torch.equal(layer(x), x)


def test_with_attention_silent_a_block_adds_the_ffn_of_the_normed_input():
    layer, x = block(), rand(2, 5, 16)
    silence(layer.attn.w_o)

    y = layer(x)

    assert_close(y, x + layer.ffn(layer.ffn_norm(x)))


def test_with_the_ffn_silent_a_block_adds_the_attention_of_the_normed_input():
    layer, x = block(), rand(2, 5, 16)
    silence(layer.ffn.w_down)

    y = layer(x)

    assert_close(y, x + layer.attn(layer.attn_norm(x)))


def test_the_ffn_reads_what_attention_wrote():
    layer, x = block(), rand(2, 5, 16)

    y = layer(x)

    u = x + layer.attn(layer.attn_norm(x))
    assert_close(y, u + layer.ffn(layer.ffn_norm(u)))


def test_positions_reach_the_attention_of_a_block():
    layer, x, positions = block(), rand(2, 5, 16), torch.tensor([7, 0, 2, 2, 5])
    silence(layer.ffn.w_down)

    y = layer(x, positions)

    assert_close(y, x + layer.attn(layer.attn_norm(x), positions))


def test_the_stack_ends_with_a_norm():
    model, x = transformer(), rand(2, 5, 16)
    for layer in model.blocks:
        silence(layer.attn.w_o)
        silence(layer.ffn.w_down)

    assert torch.equal(model(x), model.final_norm(x))


def test_the_stack_runs_its_blocks_in_order():
    model, x = transformer(), rand(2, 5, 16)

    assert_close(model(x), model.final_norm(model.blocks[1](model.blocks[0](x))))


def test_positions_reach_every_block():
    model, x, positions = transformer(), rand(2, 5, 16), torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 7]])

    y = model(x, positions)

    assert_close(y, model.final_norm(model.blocks[1](model.blocks[0](x, positions), positions)))


@pytest.mark.parametrize("chunks", [[7], [4, 3], [1, 5, 1], [4, 1, 1, 1], [1] * 7])
def test_decoding_in_chunks_gives_what_one_call_gives(chunks):
    model, x = transformer(), rand(2, 7, 16)

    y = decode(model, x, chunks)

    assert_close(y, model(x))


def test_every_block_fills_its_own_cache():
    model, x, caches = transformer(), rand(2, 5, 16), [KVCache(), KVCache()]

    model(x, caches=caches)

    assert [cache.length for cache in caches] == [5, 5]
    assert not torch.equal(caches[0].keys, caches[1].keys)


def test_a_later_token_does_not_reach_an_earlier_one():
    model, x = transformer(), rand(2, 5, 16)
    changed = x.clone()
    changed[:, 3:] += 1.0

    assert_close(model(changed)[:, :3], model(x)[:, :3])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("parameter_dtype", [torch.bfloat16, torch.float32])
def test_output_dtype_is_input_dtype(parameter_dtype, dtype):
    model = transformer().to(parameter_dtype)

    assert model(rand(2, 5, 16, dtype=dtype)).dtype == dtype


def test_base_and_eps_reach_the_parts():
    model = Transformer(1, 16, 4, 2, 24, base=500.0, eps=1e-3)

    assert model.blocks[0].attn.base == 500.0
    assert [model.blocks[0].attn_norm.eps, model.blocks[0].ffn_norm.eps, model.final_norm.eps] == [1e-3] * 3


def test_parts_are_named_as_the_contract_says():
    names = {name for name, _ in Transformer(1, 16, 4, 2, 24).named_parameters()}

    attn = {f"blocks.0.attn.{w}.weight" for w in ("w_q", "w_k", "w_v", "w_o")}
    ffn = {f"blocks.0.ffn.{w}.weight" for w in ("w_gate", "w_up", "w_down")}
    assert names == attn | ffn | {"blocks.0.attn_norm.weight", "blocks.0.ffn_norm.weight", "final_norm.weight"}


def test_everything_is_made_on_the_inputs_device():
    model, caches = transformer().to("meta"), [KVCache(), KVCache()]

    model(torch.empty(2, 5, 16, device="meta"), caches=caches)
    y = model(torch.empty(2, 1, 16, device="meta"), caches=caches)

    assert y.device.type == "meta"
    assert caches[1].keys.device.type == "meta"


def test_input_is_not_changed():
    x = rand(2, 5, 16)

    transformer()(x)

    assert torch.equal(x, rand(2, 5, 16))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_caches_than_blocks_is_refused(count):
    message = f"caches must hold one KVCache a block, 2 in all, got {count}"

    with pytest.raises(ValueError, match=re.escape(message)):
        transformer()(rand(2, 5, 16), caches=[KVCache() for _ in range(count)])


def test_a_stack_of_nothing_is_refused():
    with pytest.raises(ValueError, match="n_layers must be positive, got 0"):
        Transformer(0, 16, 4, 2, 24)


def test_heads_that_do_not_divide_are_refused():
    message = "n_heads must be divisible by n_kv_heads, got n_heads = 4 and n_kv_heads = 3"

    with pytest.raises(ValueError, match=re.escape(message)):
        TransformerBlock(16, 4, 3, 24)


@pytest.mark.parametrize("module", [TransformerBlock(8, 4, 2, 6), Transformer(2, 8, 4, 2, 6)])
def test_modules_have_right_gradients(module):
    names = [name for name, _ in module.named_parameters()]
    parameters = [rand(*p.shape, seed=i + 1).requires_grad_() for i, p in enumerate(module.parameters())]

    def run(x, *values):
        return functional_call(module, dict(zip(names, values, strict=True)), (x, torch.tensor([4, 0, 9])))

    assert torch.autograd.gradcheck(run, (rand(1, 3, 8).requires_grad_(), *parameters))
