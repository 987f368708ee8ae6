"""The Monte-Carlo bound of composites: right programs use less than half of it, wrong ones are far outside.

Structure is judged in FP32, where a mistake is ten thousands of bounds away. In bf16 the bound covers any program that
stores its intermediate numbers in bf16, so there only right programs are held against it.
"""

import math

import pytest
import torch
from numerics import attention_programs, ffn_programs
from numerics.attention_programs import Decoder

from grader.numerics.draw import Draw
from grader.oracle.live import Oracle

HALF, FAR = 0.5, 10.0
SEEDS = range(10)
DTYPES = pytest.mark.parametrize("dtype", ["fp32", "bf16"])
CHUNKS = {
    "at once": (12,),
    "one by one": (1,) * 12,
    "prompt, then one by one": (8, 1, 1, 1, 1),
    "mixed": (5, 1, 1, 3, 1, 1),
}
ATTENTION = {"dim": 32, "n_heads": 4, "n_kv_heads": 2}
BLOCK = {"dim": 16, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 24}


def distance(answer, output):
    """The largest excess in units of the bound; NaN and infinity are infinitely far."""
    answer.has_form(output.nan_to_num(0, 0, 0))
    return answer.ratio(output) if bool(torch.isfinite(output).all()) else math.inf


@pytest.fixture(scope="module")
def cases():
    """A function: inputs and answers of a kind, dtype and seed, made once."""
    made = {}

    def case(kind, dtype, seed):
        key = (kind, dtype, seed)
        if key not in made:
            made[key] = KINDS[kind](Draw(seed, f"{kind} {dtype}"), dtype, Oracle(seed))
        return made[key]

    return case


def attention_case(draw, dtype, oracle):
    q, k, v = (draw.normal(2, tokens, heads, 8, dtype=dtype) for tokens, heads in ((5, 4), (8, 2), (8, 2)))
    return (q, k, v), oracle.grouped_query_attention(q, k, v)


def swiglu_case(draw, dtype, oracle):
    spec = draw.module("SwiGLU", {"dim": 16, "hidden_dim": 32}, gain=1.5, dtype=dtype)
    x = draw.normal(2, 4, 16, dtype=dtype)
    return (x, *spec.weights.values()), oracle.module(spec, x)


def decode_case(draw, dtype, oracle, first=0):
    spec = draw.module("GroupedQueryAttention", ATTENTION, gain=2.0, dtype=dtype)
    x = draw.normal(2, 12, 32, dtype=dtype)
    return (spec, x), oracle.module(spec, x, positions=torch.arange(first, first + 12))


def late_decode_case(draw, dtype, oracle):
    return decode_case(draw, dtype, oracle, first=300)


def block_case(draw, dtype, oracle):
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5, dtype=dtype)
    x = draw.normal(2, 5, 16, dtype=dtype)
    return (spec, x), oracle.module(spec, x)


KINDS = {
    "attention": attention_case,
    "swiglu": swiglu_case,
    "decode": decode_case,
    "late decode": late_decode_case,
    "block": block_case,
}


# -- right programs -------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("name", attention_programs.LEGAL_CORES)
def test_right_attention_uses_less_than_half_of_the_bound(name, dtype, cases):
    for inputs, answer in (cases("attention", dtype, seed) for seed in SEEDS):
        assert distance(answer, attention_programs.LEGAL_CORES[name](*inputs)) < HALF


@DTYPES
@pytest.mark.parametrize("name", ffn_programs.LEGAL_SWIGLU)
def test_right_swiglu_uses_less_than_half_of_the_bound(name, dtype, cases):
    for inputs, answer in (cases("swiglu", dtype, seed) for seed in SEEDS):
        assert distance(answer, ffn_programs.LEGAL_SWIGLU[name](*inputs)) < HALF


@DTYPES
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("name", attention_programs.LEGAL_CORES)
def test_right_decoding_uses_less_than_half_of_the_bound(name, chunks, dtype, cases):
    for kind, first in (("decode", 0), ("late decode", 300)):
        for (spec, x), answer in (cases(kind, dtype, seed) for seed in SEEDS):
            decoder = Decoder(spec, attention_programs.LEGAL_CORES[name], first)

            assert distance(answer, decoder(x, CHUNKS[chunks])) < HALF


@DTYPES
@pytest.mark.parametrize("name", ffn_programs.LEGAL_BLOCKS)
def test_right_blocks_use_less_than_half_of_the_bound(name, dtype, cases):
    for (spec, x), answer in (cases("block", dtype, seed) for seed in SEEDS):
        assert distance(answer, ffn_programs.LEGAL_BLOCKS[name](spec).wired(x)) < HALF


# -- wrong programs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", attention_programs.MISTAKEN_CORES)
def test_wrong_attention_is_far_outside(name, cases):
    for inputs, answer in (cases("attention", "fp32", seed) for seed in SEEDS):
        assert distance(answer, attention_programs.MISTAKEN_CORES[name](*inputs)) > 100 * FAR


@pytest.mark.parametrize("name", ffn_programs.MISTAKEN_SWIGLU)
def test_wrong_swiglu_is_far_outside(name, cases):
    for inputs, answer in (cases("swiglu", "fp32", seed) for seed in SEEDS):
        assert distance(answer, ffn_programs.MISTAKEN_SWIGLU[name](*inputs)) > 100 * FAR


@pytest.mark.parametrize("name", attention_programs.MISTAKEN_DECODERS)
def test_wrong_decoding_is_far_outside(name, cases):
    for (spec, x), answer in (cases("decode", "fp32", seed) for seed in SEEDS):
        decoder = attention_programs.MISTAKEN_DECODERS[name](spec)

        assert distance(answer, decoder(x, CHUNKS["mixed"])) > FAR


@pytest.mark.parametrize("name", ffn_programs.MISTAKEN_BLOCKS)
def test_wrong_blocks_are_far_outside(name, cases):
    for (spec, x), answer in (cases("block", "fp32", seed) for seed in SEEDS):
        assert distance(answer, ffn_programs.MISTAKEN_BLOCKS[name](spec).wired(x)) > 100 * FAR


PROGRAMS = {
    "attention": (attention_programs.LEGAL_CORES, attention_programs.MISTAKEN_CORES, lambda run, given: run(*given)),
    "swiglu": (ffn_programs.LEGAL_SWIGLU, ffn_programs.MISTAKEN_SWIGLU, lambda run, given: run(*given)),
    "block": (
        ffn_programs.LEGAL_BLOCKS,
        ffn_programs.MISTAKEN_BLOCKS,
        lambda variant, given: variant(given[0]).wired(given[1]),
    ),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_composites_separate_right_from_wrong(kind, cases, record_property):
    legal, mistaken, run = PROGRAMS[kind]
    given = [cases(kind, "fp32", seed) for seed in SEEDS]
    right = [distance(answer, run(program, inputs)) for program in legal.values() for inputs, answer in given]
    wrong = [distance(answer, run(program, inputs)) for program in mistaken.values() for inputs, answer in given]

    record_property("separation", min(wrong) / max(right))
    assert min(wrong) / max(right) > 10_000
