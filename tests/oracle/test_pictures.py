"""What the oracle draws of a wrong answer: found where it is so, and nothing where it cannot be known."""

from __future__ import annotations

import math

import pytest
import torch

from grader.errors import CheckFailure
from grader.numerics.draw import Draw
from grader.oracle.live import Oracle
from grader.pictures import MOST_PICTURES, MOST_PLACES, number
from reference import attention, rope

SIZES = {"dim": 32, "n_heads": 4, "n_kv_heads": 2}


@pytest.fixture
def oracle():
    return Oracle(7)


@pytest.fixture
def draw():
    return Draw(3, "pictures")


def pictures(answer, actual):
    """What is drawn of ``actual``, by kind."""
    with pytest.raises(CheckFailure) as failed:
        answer.accepts(actual)
    drawn = failed.value.pictures
    assert len(drawn) <= MOST_PICTURES
    assert len({one.kind for one in drawn}) == len(drawn)
    return {one.kind: one for one in drawn}


# -- rotations ---------------------------------------------------------------------------------------------------


def test_the_chapters_example_is_drawn_with_its_own_numbers(oracle, draw):
    x, positions = draw.tensor([[[[1.0, 2.0, 3.0, 4.0]]]]), draw.positions(1)
    half_split = torch.tensor([[[[-1.9841, 1.9599, 2.4623, 4.0198]]]])

    drawn = pictures(oracle.apply_rope(x, positions), half_split)

    first, second = drawn["rotation"].pairs
    assert (first.pair, first.angle, first.given) == (0, 1.0, (1.0, 2.0))
    assert first.right == pytest.approx((-1.1426, 1.9221), abs=1e-4)
    assert first.yours == pytest.approx((-1.9841, 1.9599), abs=1e-4)
    assert (second.pair, second.angle, second.given) == (1, 0.01, (3.0, 4.0))
    assert second.right == pytest.approx((2.9599, 4.0298), abs=1e-4)


def test_the_four_worst_pairs_are_drawn_in_order(oracle, draw):
    x, positions = draw.normal(1, 2, 1, 16), draw.positions(3, 4)
    wrong = rope.apply_rope(x, positions)
    wrong[..., 4:] += torch.tensor([9.0, 1.0, 8.0, 1.0, 7.0, 6.0]).repeat_interleave(2)

    assert [one.pair for one in pictures(oracle.apply_rope(x, positions), wrong)["rotation"].pairs] == [2, 4, 6, 7]


def test_a_difference_that_no_eye_sees_is_no_arrow(oracle, draw):
    x, positions = draw.normal(1, 3, 1, 8), draw.positions(3, 4, 5)

    assert "rotation" not in pictures(oracle.apply_rope(x, positions), 1.001 * rope.apply_rope(x, positions))


@pytest.mark.parametrize(
    ("right", "used"),
    [
        ((7, 8, 9, 10), (0, 1, 2, 3)),
        ((0, 1, 2, 3), (0, 2, 4, 6)),
        ((100, 257, 259, 65537), (100, 256, 260, 65536)),
        ((0, 5, 5, 1000), (0, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_the_positions_that_were_used_are_found(right, used, dtype, oracle, draw):
    x = draw.normal(2, 4, 3, 8, dtype=dtype)

    drawn = pictures(oracle.apply_rope(x, draw.positions(*right)), rope.apply_rope(x, draw.positions(*used)))

    assert (drawn["timeline"].right, drawn["timeline"].yours) == (list(right), list(used))


def test_every_sequence_has_its_own_positions(oracle, draw):
    x, right, used = draw.normal(2, 3, 2, 8), draw.rows((0, 1, 2), (4, 5, 6)), draw.rows((0, 1, 2), (0, 1, 2))

    drawn = pictures(oracle.apply_rope(x, right), rope.apply_rope(x, used))

    assert (drawn["timeline"].sequence, drawn["timeline"].right, drawn["timeline"].yours) == (1, [4, 5, 6], [0, 1, 2])


def test_what_is_no_rotation_by_a_position_gets_no_positions(oracle, draw):
    x, positions = draw.normal(1, 3, 2, 8), draw.positions(1, 2, 3)

    assert "timeline" not in pictures(oracle.apply_rope(x, positions), rope.apply_rope(x, -positions))
    assert "timeline" not in pictures(oracle.apply_rope(x, positions), draw.normal(1, 3, 2, 8))


def test_keys_that_were_turned_twice_show_twice_the_position(oracle, draw):
    spec, x, positions = draw.module("GroupedQueryAttention", SIZES), draw.normal(1, 4, 32), draw.arange(0, 4)
    keys = oracle.cached(spec, x, positions).keys
    twice = rope.apply_rope(keys.truth, positions).float()

    assert pictures(keys, twice)["timeline"].yours == [0, 2, 4, 6]


# -- attention ---------------------------------------------------------------------------------------------------


def attended(draw, heads=(4, 2), tokens=5, keys=5, width=8):
    return draw.normal(2, tokens, heads[0], width), *(draw.normal(2, keys, heads[1], width) for _ in range(2))


def test_the_heads_that_were_read_are_found(oracle, draw):
    q, k, v = attended(draw)
    tiled = attention.grouped_query_attention(q, k.repeat(1, 1, 2, 1), v.repeat(1, 1, 2, 1))

    drawn = pictures(oracle.grouped_query_attention(q, k, v), tiled)

    assert (drawn["heads"].right, drawn["heads"].yours) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert "causal" not in drawn


def test_heads_that_were_read_rightly_are_not_drawn(oracle, draw):
    q, k, v = attended(draw)
    imprecise = attention.grouped_query_attention(q, k, v) * 1.0001

    assert "heads" not in pictures(oracle.grouped_query_attention(q, k, v), imprecise)


@pytest.mark.parametrize(("tokens", "keys"), [(3, 7), (1, 8)])
def test_the_keys_that_were_seen_are_found(tokens, keys, oracle, draw):
    q, k, v = attended(draw, tokens=tokens, keys=keys)
    weights = torch.rand(2, 4, tokens, keys, generator=torch.Generator().manual_seed(1)) + 0.1
    weights = (weights * (torch.arange(keys) <= torch.arange(tokens)[:, None])).double()  # the diagonal at the top left
    weights /= weights.sum(-1, keepdim=True)
    wrong = (weights @ v.repeat_interleave(2, dim=2).transpose(1, 2).double()).transpose(1, 2).float()

    drawn = pictures(oracle.grouped_query_attention(q, k, v), wrong)

    assert drawn["causal"].yours == [list(range(query + 1)) for query in range(tokens)]
    assert drawn["causal"].right == [list(range(keys - tokens + query + 1)) for query in range(tokens)]


def test_keys_that_were_seen_too_early_are_found(oracle, draw):
    q, k, v = attended(draw)
    all_seen = attention.grouped_query_attention(q, k, v, causal=False)

    assert pictures(oracle.grouped_query_attention(q, k, v), all_seen)["causal"].yours == [[0, 1, 2, 3, 4]] * 5


def test_a_wrong_answer_that_sees_the_right_keys_gets_no_map(oracle, draw):
    q, k, v = attended(draw)

    assert "causal" not in pictures(
        oracle.grouped_query_attention(q, k, v), attention.grouped_query_attention(2 * q, k, v)
    )


def test_with_more_keys_than_components_nobody_can_say_what_was_seen(oracle, draw):
    q, k, v = attended(draw, tokens=6, keys=6, width=4)
    all_seen = attention.grouped_query_attention(q, k, v, causal=False)

    assert "causal" not in pictures(oracle.grouped_query_attention(q, k, v), all_seen)


def test_what_is_no_mixture_of_values_gets_no_map(oracle, draw):
    q, k, v = attended(draw)

    drawn = pictures(oracle.grouped_query_attention(q, k, v), draw.normal(2, 5, 4, 8))

    assert set(drawn) & {"causal", "heads"} == set()


def layer_answer(oracle, draw, used, given=None):
    """What a layer gives that stands its tokens at ``used``, and the right answer."""
    spec, x = draw.module("GroupedQueryAttention", SIZES, gain=2.0), draw.normal(2, len(used), 32)
    positions = None if given is None else draw.positions(*given)
    wrong = oracle.module(spec, x, positions=draw.positions(*used)).truth.float()
    return oracle.module(spec, x, positions=positions), wrong


@pytest.mark.parametrize("used", [(0, 1, 2, 3, 0, 0), (0, 1, 2, 3, 5, 6), (0, 0, 0, 0, 0, 0)])
def test_the_positions_of_decoding_steps_are_found_in_the_layers_output(used, oracle, draw):
    drawn = pictures(*layer_answer(oracle, draw, used))

    assert (drawn["timeline"].right, drawn["timeline"].yours) == ([0, 1, 2, 3, 4, 5], list(used))


def test_positions_that_were_given_and_not_used_are_found(oracle, draw):
    drawn = pictures(*layer_answer(oracle, draw, (3, 4, 5, 6), given=(3, 9, 11, 30)))

    assert (drawn["timeline"].right, drawn["timeline"].yours) == ([3, 9, 11, 30], [3, 4, 5, 6])


def test_a_layer_that_fits_no_positions_gets_none(oracle, draw):
    answer, wrong = layer_answer(oracle, draw, (0, 1, 2, 3))

    assert "timeline" not in pictures(answer, wrong + 0.01)


def test_a_layer_to_which_positions_do_not_matter_gets_none(oracle, draw):
    spec, x = draw.module("GroupedQueryAttention", SIZES, zero=("w_q",)), draw.normal(2, 4, 32)
    answer = oracle.module(spec, x)

    assert "timeline" not in pictures(answer, (answer.truth * 1.0001).float())


# -- profiles ----------------------------------------------------------------------------------------------------


def test_the_error_of_each_position_is_that_of_its_worst_element(oracle, draw):
    x, positions = draw.normal(2, 4, 2, 8), draw.positions(0, 7, 257, 9)
    right = rope.apply_rope(x.double(), positions)
    wrong = right.clone().float()
    wrong[1, 2, 1, 5] += 0.5
    wrong[1, 2, 0, 0] -= 0.25

    drawn = pictures(oracle.apply_rope(x, positions), wrong)

    profile = drawn["by_position"]
    assert (profile.sequence, profile.positions) == (1, [0, 7, 257, 9])
    assert profile.error[2] == pytest.approx(0.5, rel=1e-5)
    assert too_large(profile) == [False, False, True, False]
    assert too_large(drawn["by_pair"]) == [True, False, True, False]


def too_large(profile):
    return [error > allowed for error, allowed in zip(profile.error, profile.allowed, strict=True)]


def test_places_that_are_all_alike_are_no_profile(oracle, draw):
    x = draw.full(2, 4, 6, value=1.0)
    answer = oracle.nearly(x, 1e-6, like=x, axes="B T D", name="f")

    assert pictures(answer, x + 0.5) == {}
    assert set(pictures(answer, x + draw.tensor([[[0.001], [0.5], [0.5], [0.5]]]))) == {"by_position"}


def test_a_tensor_with_too_many_places_gets_no_profile(oracle, draw):
    x = draw.full(1, MOST_PLACES + 1, 2, value=1.0)
    wrong = x.clone()
    wrong[0, 3] = 2

    assert pictures(oracle.exactly(x, like=x, axes="B T D", name="f"), wrong) == {}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300, 1 / 3])
def test_numbers_of_a_picture_are_finite_and_short(value):
    assert math.isfinite(number(value))
    assert len(repr(number(value))) <= 10


def test_huge_answers_are_drawn_with_finite_numbers(oracle, draw):
    x, positions = draw.normal(1, 3, 2, 8), draw.positions(0, 1, 2)
    wrong = rope.apply_rope(x, positions)
    wrong[0, 1] = 3e38

    for drawn in pictures(oracle.apply_rope(x, positions), wrong).values():
        assert "inf" not in drawn.model_dump_json()
        type(drawn).model_validate_json(drawn.model_dump_json())


@pytest.mark.parametrize("value", [0.0, 1.5, -3e38, 1e-45])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 2), (2, 3, 4, 2, 4), (3, 3, 3, 3, 8)])
def test_whatever_comes_back_is_a_failure_and_no_fault_of_ours(value, sizes, oracle, draw):
    batch, tokens, heads, key_heads, width = sizes
    q, k, v = attended(draw, (heads, key_heads), tokens, tokens, width)
    x = draw.normal(batch, tokens, heads, width)
    spec = draw.module("GroupedQueryAttention", {"dim": heads * width, "n_heads": heads, "n_kv_heads": key_heads})
    rows = draw.normal(batch, tokens, heads * width)
    cached = oracle.cached(spec, rows, draw.arange(0, tokens))
    answers = [
        oracle.apply_rope(x, draw.arange(5, 5 + tokens)),
        oracle.apply_rope(x, draw.rows(*[range(tokens)] * batch)),
        oracle.grouped_query_attention(q, k, v),
        oracle.grouped_query_attention(q, k, v, causal=False),
        oracle.module(spec, rows),
        oracle.module(spec, rows).tokens(0, 1),
        oracle.rope_frequencies(width),
        *oracle.rope_cos_sin(draw.arange(7, 7 + tokens), width),
        *cached,
    ]

    for answer in answers:
        drawn = pictures(answer, torch.full(answer.truth.shape, value))
        assert all(type(one).model_validate_json(one.model_dump_json()) == one for one in drawn.values())
