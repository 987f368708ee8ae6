"""The oracle answers what the reference says in FP64, with room for legal FP32 and for nothing else."""

import pytest
import torch
from torch.testing import assert_close

import reference.attention
import reference.block
import reference.ffn
import reference.norm
from grader.errors import CheckFailure
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
from reference.rope import apply_rope, rope_cos_sin, rope_frequencies

SIZES = {"dim": 16, "n_heads": 4, "n_kv_heads": 2}
MODULES = {
    "GroupedQueryAttention": (reference.attention.GroupedQueryAttention, SIZES),
    "ReLUFeedForward": (reference.ffn.ReLUFeedForward, {"dim": 16, "hidden_dim": 10}),
    "SwiGLU": (reference.ffn.SwiGLU, {"dim": 16, "hidden_dim": 10}),
    "TransformerBlock": (reference.block.TransformerBlock, {**SIZES, "hidden_dim": 10}),
    "Transformer": (reference.block.Transformer, {"n_layers": 2, **SIZES, "hidden_dim": 10}),
}
NORMS = {"LayerNorm": reference.norm.LayerNorm, "RMSNorm": reference.norm.RMSNorm}
EVERY_MODULE = pytest.mark.parametrize("name", MODULES)
ROWS = torch.tensor([[0, 1, 2, 3, 4], [9, 30, 31, 50, 52]])


@pytest.fixture
def oracle():
    return Oracle(0)


@pytest.fixture
def draw(request):
    return Draw(0, request.node.name)


def built(spec, cls, dtype):
    module = cls(**spec.arguments).to(dtype)
    module.load_state_dict({name: weight.to(dtype) for name, weight in spec.weights.items()})
    return module


def refused(answer, actual, **options):
    with pytest.raises(CheckFailure) as caught:
        answer.accepts(actual, **options)
    return caught.value.message


# -- modules --------------------------------------------------------------------------------------------------


@EVERY_MODULE
@pytest.mark.parametrize("positions", [None, torch.tensor([4, 3, 9, 0, 0]), ROWS], ids=["none", "[T]", "[B, T]"])
def test_truth_is_the_reference_in_fp64(name, positions, oracle, draw):
    cls, sizes = MODULES[name]
    spec, x = draw.module(name, sizes), draw.normal(2, 5, 16)
    given = {} if positions is None or "FeedForward" in name or name == "SwiGLU" else {"positions": positions}

    answer = oracle.module(spec, x, **given)

    assert torch.equal(answer.truth, built(spec, cls, torch.float64)(x.double(), **given))
    assert bool((answer.bound > 0).all())
    assert (answer.dtype, answer.name) == (torch.float32, name)


@EVERY_MODULE
def test_the_reference_in_fp32_is_accepted_and_a_change_of_1e_4_is_not(name, oracle, draw):
    cls, sizes = MODULES[name]
    spec, x = draw.module(name, sizes), draw.normal(2, 5, 16)
    output = built(spec, cls, torch.float32)(x).detach()

    answer = oracle.module(spec, x)

    answer.accepts(output)
    assert answer.ratio(output) < 0.5
    changed = output.clone()
    changed[1, 4, 15] += 1e-4 * output.abs().max()
    assert refused(answer, changed) == "values.differ"


@EVERY_MODULE
def test_arithmetic_in_bf16_is_accepted_for_bf16_inputs(name, oracle, draw):
    cls, sizes = MODULES[name]
    spec, x = draw.module(name, sizes, dtype="bf16"), draw.normal(2, 5, 16, dtype="bf16")
    module = cls(**spec.arguments)
    for parameter in dict(module.named_parameters()):
        owner, _, leaf = parameter.rpartition(".")
        setattr(module.get_submodule(owner), leaf, torch.nn.Parameter(spec.weights[parameter]))

    answer = oracle.module(spec, x)

    assert answer.dtype == torch.bfloat16
    answer.accepts(module(x).detach())


def test_rows_of_positions_belong_to_their_own_sequence(oracle, draw):
    spec, x = draw.module("GroupedQueryAttention", SIZES, gain=2.0), draw.normal(2, 5, 16)

    both = oracle.module(spec, x, positions=ROWS)
    alone = [oracle.module(spec, x[row : row + 1], positions=ROWS[row]) for row in range(2)]

    assert_close(both.truth, torch.cat([answer.truth for answer in alone]), rtol=1e-12, atol=1e-12)
    assert refused(both, both.truth.flip(0).float()) == "values.differ"


def test_the_callers_weights_and_inputs_are_left_alone(oracle, draw):
    spec, x = draw.module("SwiGLU", {"dim": 16, "hidden_dim": 10}), draw.normal(2, 5, 16)
    before = {name: weight.clone() for name, weight in spec.weights.items()}, x.clone()

    oracle.module(spec, x)
    oracle.module_gradients(spec, x, torch.ones(2, 5, 16))

    assert all(torch.equal(weight, before[0][name]) for name, weight in spec.weights.items())
    assert torch.equal(x, before[1])
    assert not x.requires_grad


# -- norms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("arguments", [{}, {"eps": 0.3}], ids=["default eps", "given eps"])
@pytest.mark.parametrize(
    ("shape", "axes"), [((6,), "D"), ((4, 6), "N D"), ((2, 4, 6), "B T D"), ((2, 4, 3, 6), "B T H D")]
)
def test_norms_are_the_reference_with_its_default_eps(name, arguments, shape, axes, oracle, draw):
    spec, x = draw.module(name, {"dim": 6, **arguments}), draw.normal(*shape)

    answer = oracle.norm(spec, x)

    assert torch.equal(answer.truth, built(spec, NORMS[name], torch.float64)(x.double()))
    assert answer.axes == axes
    answer.accepts(built(spec, NORMS[name], torch.float32)(x).detach())


def test_eps_of_another_size_is_refused(oracle, draw):
    x = draw.normal(8, 6, scale=1e-3)
    spec, other = (
        draw.with_weights("RMSNorm", {"dim": 6, **given}, {"weight": torch.ones(6)}) for given in ({}, {"eps": 1e-5})
    )

    assert refused(oracle.norm(spec, x), oracle.norm(other, x).truth.float()) == "values.differ"


# -- RoPE -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [10000.0, 500.0])
def test_rope_is_the_reference_in_fp64(base, oracle, draw):
    x, positions = draw.normal(2, 5, 3, 8), torch.tensor([0, 7, 7, 2049, 131072])

    theta, turned = oracle.rope_frequencies(8, base), oracle.apply_rope(x, positions, base)
    cos, sin = oracle.rope_cos_sin(positions, 8, base)

    assert torch.equal(theta.truth, rope_frequencies(8, base, dtype=torch.float64))
    assert torch.equal(
        torch.stack([cos.truth, sin.truth]), torch.stack(rope_cos_sin(positions, 8, base, dtype=torch.float64))
    )
    assert torch.equal(turned.truth, apply_rope(x.double(), positions, base))
    theta.accepts(rope_frequencies(8, base))
    turned.accepts(apply_rope(x, positions, base))
    for answer, table in zip((cos, sin), rope_cos_sin(positions, 8, base), strict=True):
        answer.accepts(table)


def test_tables_are_fp32_and_rotated_tensors_keep_their_dtype(oracle, draw):
    x = draw.normal(2, 5, 3, 8, dtype="bf16")

    assert {answer.dtype for answer in oracle.rope_cos_sin(ROWS, 8)} == {torch.float32}
    assert oracle.rope_cos_sin(ROWS, 8)[0].truth.shape == oracle.rope_cos_sin(ROWS, 8)[0].bound.shape == (2, 5, 1, 4)
    assert oracle.apply_rope(x, ROWS).dtype == torch.bfloat16


# -- attention and caches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("tokens", "seen", "heads"), [(5, 5, (4, 2)), (1, 7, (4, 4)), (3, 8, (6, 1))])
def test_attention_is_the_reference_in_fp64(tokens, seen, heads, causal, oracle, draw):
    q, k, v = draw.normal(2, tokens, heads[0], 8), draw.normal(2, seen, heads[1], 8), draw.normal(2, seen, heads[1], 8)

    answer = oracle.grouped_query_attention(q, k, v, causal=causal)

    exact = reference.attention.grouped_query_attention(q.double(), k.double(), v.double(), causal)
    assert torch.equal(answer.truth, exact)
    answer.accepts(reference.attention.grouped_query_attention(q, k, v, causal))


def test_the_cache_holds_keys_turned_once_and_values_not_turned(oracle, draw):
    spec, x, positions = draw.module("GroupedQueryAttention", SIZES), draw.normal(2, 5, 16), torch.arange(5)
    raw_keys, raw_values = ((x @ spec.weights[f"w_{name}.weight"].T).unflatten(-1, (2, 4)) for name in ("k", "v"))
    keys = apply_rope(raw_keys, positions)

    cached = oracle.cached(spec, x, positions)

    cached.keys.accepts(keys)
    cached.values.accepts(raw_values)
    assert refused(cached.keys, raw_keys) == "values.differ"
    assert refused(cached.keys, apply_rope(keys, positions)) == "values.differ"
    assert refused(cached.values, apply_rope(raw_values, positions)) == "values.differ"
    assert refused(cached.keys, keys.repeat_interleave(2, dim=2)) == "values.shape"
