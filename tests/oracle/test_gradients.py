"""Expected gradients: FP64 autograd of the reference, which right FP32 programs meet and detached ones do not."""

import pytest
import torch
from numerics.attention_programs import LEGAL_CORES
from numerics.norm_programs import LEGAL_LAYER

import reference.attention
import reference.block
import reference.ffn
import reference.norm
from grader.errors import CheckFailure
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
from reference.rope import apply_rope

SIZES = {"dim": 16, "n_heads": 4, "n_kv_heads": 2}
MODULES = {
    "LayerNorm": (reference.norm.LayerNorm, {"dim": 16}),
    "RMSNorm": (reference.norm.RMSNorm, {"dim": 16}),
    "GroupedQueryAttention": (reference.attention.GroupedQueryAttention, SIZES),
    "ReLUFeedForward": (reference.ffn.ReLUFeedForward, {"dim": 16, "hidden_dim": 10}),
    "SwiGLU": (reference.ffn.SwiGLU, {"dim": 16, "hidden_dim": 10}),
    "TransformerBlock": (reference.block.TransformerBlock, {**SIZES, "hidden_dim": 10}),
}
FUNCTIONS = {
    "apply_rope": apply_rope,
    "grouped_query_attention": reference.attention.grouped_query_attention,
}
EVERY_MODULE = pytest.mark.parametrize("name", MODULES)
SEEDS = range(10)


def module_case(name, seed):
    """A module in FP32, its input and cotangent, and the expected gradients."""
    cls, sizes = MODULES[name]
    draw = Draw(seed, name)
    spec, x, cotangent = draw.module(name, sizes), draw.normal(2, 4, 16), draw.normal(2, 4, 16)
    module = cls(**sizes)
    module.load_state_dict(spec.weights)
    return module, x, cotangent, Oracle(seed).module_gradients(spec, x, cotangent)


def function_case(name, seed):
    draw = Draw(seed, name)
    if name == "apply_rope":
        arguments = {"x": draw.normal(2, 5, 3, 8), "positions": draw.arange(0, 5)}
        cotangent = draw.normal(2, 5, 3, 8)
    else:
        arguments = {"q": draw.normal(2, 3, 4, 8), "k": draw.normal(2, 5, 2, 8), "v": draw.normal(2, 5, 2, 8)}
        cotangent = draw.normal(2, 3, 4, 8)
    return arguments, cotangent, Oracle(seed).function_gradients(name, arguments, cotangent)


def pulled_back(output, cotangent, sources):
    grads = torch.autograd.grad(output, list(sources.values()), cotangent)
    return dict(zip(sources, grads, strict=True))


@EVERY_MODULE
def test_gradients_of_the_reference_in_fp32_use_less_than_half_of_the_bound(name):
    for seed in SEEDS:
        module, x, cotangent, expected = module_case(name, seed)
        x = x.requires_grad_()
        sources = {"x": x, **dict(module.named_parameters())}

        actual = pulled_back(module(x), cotangent, sources)

        assert set(expected) == set(sources)
        expected.accepts(actual)
        assert max(answer.ratio(actual[key]) for key, answer in expected.items()) < 0.5


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_functions_use_less_than_half_of_the_bound(name):
    for seed in SEEDS:
        arguments, cotangent, expected = function_case(name, seed)
        sources = {key: value.clone().requires_grad_() for key, value in arguments.items() if value.is_floating_point()}

        actual = pulled_back(FUNCTIONS[name](**{**arguments, **sources}), cotangent, sources)

        assert set(expected) == set(sources)
        expected.accepts(actual)
        assert max(answer.ratio(actual[key]) for key, answer in expected.items()) < 0.5


def attention_gradient_ratios(arguments, cotangent, expected, core):
    sources = {key: value.clone().requires_grad_() for key, value in arguments.items()}
    actual = pulled_back(core(**sources), cotangent, sources)
    return {key: answer.ratio(actual[key]) for key, answer in expected.items()}


@pytest.mark.parametrize("name", LEGAL_CORES)
def test_gradients_of_right_attention_use_less_than_half_of_the_bound(name):
    for seed in SEEDS:
        case = function_case("grouped_query_attention", seed)

        assert max(attention_gradient_ratios(*case, LEGAL_CORES[name]).values()) < 0.5


@pytest.mark.parametrize("name", LEGAL_CORES)
def test_a_query_with_an_almost_one_hot_softmax_may_err_like_the_others(name):
    """SDPA's backward pass subtracts sum(dO * O): its error there does not shrink with the gradient."""
    for seed in SEEDS:
        arguments, cotangent, _ = function_case("grouped_query_attention", seed)
        arguments["q"][0, 0] *= 4
        expected = Oracle(seed).function_gradients("grouped_query_attention", arguments, cotangent)

        assert max(attention_gradient_ratios(arguments, cotangent, expected, LEGAL_CORES[name]).values()) < 0.5


def test_one_pass_layer_norm_has_gradients_within_half_of_the_bound():
    for seed in range(100):
        module, x, cotangent, expected = module_case("LayerNorm", seed)
        sources = {"x": x.requires_grad_(), **dict(module.named_parameters())}
        computed = LEGAL_LAYER["one pass"](sources["x"], module.weight, module.bias, 1e-5)

        actual = pulled_back(computed, cotangent, sources)

        assert max(answer.ratio(actual[key]) for key, answer in expected.items()) < 0.5


@EVERY_MODULE
def test_the_truth_is_the_gradient_and_not_its_sign_or_scale(name):
    *_, expected = module_case(name, 0)

    expected.accepts({key: answer.truth.float() for key, answer in expected.items()})

    for factor in (-1, 0, 0.5, 1.001):
        with pytest.raises(CheckFailure, match=r"values\.differ"):
            expected.accepts({key: (factor * answer.truth).float() for key, answer in expected.items()})


@EVERY_MODULE
def test_each_gradient_counts(name):
    *_, expected = module_case(name, 0)
    right = {key: answer.truth.float() for key, answer in expected.items()}

    for key in expected:
        with pytest.raises(CheckFailure, match=r"values\.differ"):
            expected.accepts({**right, key: right[key] * 1.001})
        with pytest.raises(CheckFailure, match=r"gradients\.none") as caught:
            expected.accepts({**right, key: None})
        assert caught.value.arguments["source"] == key


def test_detached_statistics_of_a_norm_are_seen():
    _, x, cotangent, expected = module_case("RMSNorm", 0)
    weight = dict(expected)["weight"]
    x = x.requires_grad_()
    root = torch.rsqrt(x.detach().square().mean(-1, keepdim=True) + 1e-6)

    actual = pulled_back(
        x * root * Draw(0, "RMSNorm").module("RMSNorm", {"dim": 16}).weights["weight"], cotangent, {"x": x}
    )

    with pytest.raises(CheckFailure, match=r"values\.differ"):
        expected.accepts({**actual, "weight": weight.truth.float()})


def test_positions_have_no_gradient_and_the_input_keeps_none():
    arguments, _, expected = function_case("apply_rope", 0)

    assert list(expected) == ["x"]
    assert arguments["x"].grad is None
    assert not arguments["x"].requires_grad
