"""Designed inputs: exact for every right program in any dtype, and wrong for each mistake that they are built for."""

import math

import pytest
import torch
from numerics import attention_programs, ffn_programs, rope_mistakes, rope_programs
from numerics.attention_programs import LEGAL_CORES, MISTAKEN_CORES, Decoder, hidden, mistaken

from grader.contract import parameter_shapes
from grader.numerics import designed
from grader.numerics.draw import Draw
from grader.numerics.inputs import FAR_POSITIONS
from grader.numerics.rounding import excess, nearest
from grader.oracle.live import Oracle
from reference.rope import apply_rope

DTYPES = pytest.mark.parametrize("dtype", ["fp32", "bf16"])
SEEDS = range(5)
CHUNKS = {"at once": (9,), "one by one": (1,) * 9, "mixed": (5, 1, 2, 1)}


def pointer(dtype, seed=0):
    return Draw(seed, "pointer").pointer(dtype)


def copied(probe, decoder, chunks=(9,)):
    """The share of outputs that are bit for bit what the probe expects."""
    output = decoder(probe.x, chunks)[:, probe.first :]
    assert output.dtype == probe.x.dtype
    return float((output.double() == probe.expected.double()).double().mean())


# -- pointer --------------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("core", LEGAL_CORES)
def test_right_attention_copies_whole_numbers_exactly(core, chunks, dtype):
    for first in (0, 300):
        for probe in (pointer(dtype, seed) for seed in SEEDS):
            decoder = Decoder(probe.spec, LEGAL_CORES[core], first)

            assert copied(probe, decoder, CHUNKS[chunks]) == 1


@DTYPES
def test_every_score_but_one_is_40_below_after_the_scale(dtype):
    probe = pointer(dtype)
    weights = {name: weight.double() for name, weight in probe.spec.weights.items()}
    x, positions = probe.x.double(), torch.arange(9)
    q = apply_rope((x @ weights["w_q.weight"].T).unflatten(-1, (4, 8)), positions).transpose(1, 2)
    k = apply_rope((x @ weights["w_k.weight"].T).unflatten(-1, (2, 8)), positions).transpose(1, 2)

    scores = q @ k.repeat_interleave(2, dim=1).mT / math.sqrt(8)
    best, second = scores.masked_fill(hidden(9, 9), -math.inf)[:, :, probe.first :].topk(2).values.unbind(-1)

    assert float((best - second).min()) > 40


@DTYPES
def test_the_payload_is_exact_in_bf16_and_never_zero(dtype):
    probe = pointer(dtype)

    assert torch.equal(probe.expected.bfloat16().float(), probe.expected)
    assert torch.all(probe.expected != 0)
    assert probe.expected.shape == (2, 9 - probe.first, 32)


def test_the_probe_is_a_module_of_the_contract():
    for probe in (pointer("bf16"), Draw(0, "gate").saturated_gate("bf16")):
        shapes = {name: tuple(weight.shape) for name, weight in probe.spec.weights.items()}

        assert shapes == parameter_shapes(probe.spec.name, probe.spec.arguments)
        assert {weight.dtype for weight in probe.spec.weights.values()} == {torch.bfloat16}


# No target is ever hidden or more than three tokens away, so seeing too much, or only the last four, changes nothing.
SEES_TARGET = {"no mask", "sees the next", "window of four", "new tokens in front"}
STRUCTURAL = {
    name: kind
    for name, kind in attention_programs.MISTAKEN_DECODERS.items()
    if name not in SEES_TARGET | {"tables in bf16"}
}


@DTYPES
@pytest.mark.parametrize("name", STRUCTURAL)
def test_a_wrong_decoder_copies_from_elsewhere(name, dtype):
    for probe in (pointer(dtype, seed) for seed in SEEDS):
        assert copied(probe, STRUCTURAL[name](probe.spec), CHUNKS["mixed"]) < 0.95


# A one-hot softmax is the same at any scale, a score of 0 weighs e^-40, and with T = S both corners are one.
SAME_TARGET = SEES_TARGET | {"no scale", "scaled twice", "masked by 0", "mask at the top left"}
SEEN = {name: core for name, core in MISTAKEN_CORES.items() if name not in SAME_TARGET}


@DTYPES
@pytest.mark.parametrize("name", SEEN)
def test_a_wrong_core_copies_from_elsewhere(name, dtype):
    for probe in (pointer(dtype, seed) for seed in SEEDS):
        assert copied(probe, Decoder(probe.spec, SEEN[name])) < 0.95


# Made alike in q and k, these leave the largest score where it is: the checks of RoPE itself look at them.
SAME_DIFFERENCE = {
    "base 1000",
    "base 500000",
    "exponent r/d",
    "exponent 4r/d",
    "concatenated",
    "positions from 1",
    "positions ignored",
}
TURNS = {name: turn for name, turn in rope_mistakes.MISTAKEN.items() if name not in SAME_DIFFERENCE}


@DTYPES
@pytest.mark.parametrize("name", TURNS)
def test_a_wrong_rotation_copies_from_elsewhere(name, dtype):
    def turn(self, x, positions):
        return TURNS[name](x, positions).to(x.dtype)

    for probe in (pointer(dtype, seed) for seed in SEEDS):
        assert copied(probe, mistaken(turn_query=turn, turn_key=turn)(probe.spec)) < 0.95


# -- saturated gate -------------------------------------------------------------------------------------------


def gate(dtype, seed=0):
    return Draw(seed, "gate").saturated_gate(dtype)


def gate_error(probe, program):
    output = program(probe.x, *probe.spec.weights.values())
    assert output.dtype == probe.x.dtype
    return (output.double() - probe.expected.double()).abs()


@DTYPES
@pytest.mark.parametrize("name", ffn_programs.LEGAL_SWIGLU)
def test_right_swiglu_gives_whole_numbers_through_a_saturated_gate(name, dtype):
    for probe in (gate(dtype, seed) for seed in SEEDS):
        assert float(gate_error(probe, ffn_programs.LEGAL_SWIGLU[name]).max()) <= 1e-6


NO_SIGN = {"relu", "gelu", "gelu by tanh", "mish", "hardswish", "silu of 1.702 z"}  # like SiLU at +-64


@DTYPES
@pytest.mark.parametrize("name", sorted(set(ffn_programs.MISTAKEN_SWIGLU) - NO_SIGN))
def test_wrong_branches_give_other_whole_numbers(name, dtype):
    for probe in (gate(dtype, seed) for seed in SEEDS):
        assert float((gate_error(probe, ffn_programs.MISTAKEN_SWIGLU[name]) > 1e-6).double().mean()) > 0.2


def test_the_gate_probe_is_exact_in_bf16():
    probe = gate("bf16")

    assert torch.equal(probe.expected.bfloat16().float(), probe.expected)
    assert float(probe.expected.abs().max()) > 1


# -- cancelling pairs -----------------------------------------------------------------------------------------


def failing(x, positions, program):
    """The share of elements outside of the bound."""
    answer = Oracle(0).apply_rope(x, positions)
    return float((excess(program(x, positions), answer.truth) > answer.bound).double().mean())


def test_cancelling_pairs_raise_the_failing_share_of_fp16_tables():
    positions = Draw.far_positions()
    cancelling = designed.cancelling_pairs(positions, heads=4, head_dim=32)
    program = rope_mistakes.ROUNDED["tables in FP16"]

    random = max(failing(Draw(seed, "random").normal(1, 16, 4, 32, dtype="bf16"), positions, program) for seed in SEEDS)

    assert failing(cancelling, positions, program) > 0.2
    assert failing(cancelling, positions, program) > 5 * random


def test_cancelling_pairs_leave_one_component_small():
    positions = Draw.far_positions()

    turned = apply_rope(designed.cancelling_pairs(positions, heads=4, head_dim=32).double(), positions)

    first, second = turned[..., ::2].abs(), turned[..., 1::2].abs()
    assert float(first[:, :, ::2].max()) < 2**-7 < 0.9 < float(second[:, :, ::2].min())
    assert float(second[:, :, 1::2].max()) < 2**-7 < 0.9 < float(first[:, :, 1::2].min())


@pytest.mark.parametrize("name", rope_programs.LEGAL)
def test_right_rotations_pass_on_cancelling_pairs(name):
    positions = Draw.far_positions()
    x = designed.cancelling_pairs(positions, heads=4, head_dim=32)

    def program(x, positions):
        return nearest(rope_programs.LEGAL[name](x, positions).double(), torch.bfloat16)

    assert failing(x, positions, program) == 0


def test_far_positions_hold_one_for_each_way_to_lose_an_integer():
    positions = torch.tensor(FAR_POSITIONS)

    assert (positions.bfloat16().double() != positions).any()
    assert (positions[positions < 65504].half().double() != positions[positions < 65504]).any()
    assert torch.isinf(positions.half()).any()
    assert positions.float().double().equal(positions.double())
