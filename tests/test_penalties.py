"""One mistake costs its own points once."""

from __future__ import annotations

import pytest
from mistaken_texts import HALF_SPLIT

from grader.errors import Outcome
from grader.penalties import carried_forward
from grader.session import grade

UNKNOWN = """
def apply_rope(x, positions, base=10000.0):
    if tuple(positions.shape) not in ((x.shape[1],), (x.shape[0], x.shape[1])):
        raise ValueError(positions.shape)
    return (x.float() * 1.37).cos().to(x.dtype)
"""
UNKNOWN_BLOCK = """
class TransformerBlock(TransformerBlock):
    def forward(self, x, positions=None, cache=None):
        return super().forward(x, positions, cache) * 1.01
"""
POST_NORM = """
class TransformerBlock(TransformerBlock):
    def forward(self, x, positions=None, cache=None):
        u = self.attn_norm(x + self.attn(x, positions, cache))
        return self.ffn_norm(u + self.ffn(u))
"""


@pytest.fixture
def outcomes(warm_runner, settings, submission_with):
    def of(**modules):
        report = grade(submission_with(**modules), warm_runner, settings, seed=3, examples=False)
        assert report.graded
        return {check.id: check.outcome for check in report.checks if not check.advice}, report

    return of


def test_what_fails_only_through_a_named_mistake_costs_nothing(outcomes):
    by_check, report = outcomes(rope="import torch\n" + HALF_SPLIT)

    assert by_check["rope.adjacent-pairs"] is Outcome.FAIL  # is there to catch it
    for check in ("rope.positions-batched", "gqa.values", "block.decode", "transformer.values"):
        assert by_check[check] is Outcome.CARRIED_FORWARD
    lost = {check.id for check in report.checks if check.points < check.max_points}
    assert lost == {check for check, outcome in by_check.items() if outcome is Outcome.FAIL}
    assert [mistake.id for mistake in report.mistakes] == ["rope.half_split"]


def test_a_second_mistake_is_paid_for_too(outcomes):
    by_check, report = outcomes(rope="import torch\n" + HALF_SPLIT, block=POST_NORM)

    assert {mistake.id for mistake in report.mistakes} == {"rope.half_split", "block.postnorm"}
    assert by_check["rope.adjacent-pairs"] is Outcome.FAIL
    assert by_check["block.residual"] is Outcome.FAIL
    assert by_check["gqa.values"] is Outcome.CARRIED_FORWARD


def test_a_mistake_without_a_name_costs_its_own_part_and_not_what_is_right_around_it(outcomes):
    by_check, report = outcomes(rope="import torch\n" + UNKNOWN)
    carried = {check.id: check.carried_from for check in report.checks if check.outcome is Outcome.CARRIED_FORWARD}

    assert report.mistakes == []
    assert by_check["rope.adjacent-pairs"] is by_check["rope.positions-batched"] is Outcome.FAIL
    assert {"gqa.values", "gqa.decode-continues", "block.values", "transformer.caches"} <= set(carried)
    assert {tuple(parts) for parts in carried.values()} == {("rope",)}


def test_a_wrong_whole_around_a_wrong_part_is_not_carried(outcomes):
    by_check, _ = outcomes(rope="import torch\n" + UNKNOWN, block=UNKNOWN_BLOCK)

    assert by_check["gqa.values"] is Outcome.CARRIED_FORWARD
    assert by_check["block.values"] is by_check["block.decode"] is Outcome.FAIL


EXPLAINED = {"rope.adjacent-pairs": ["rope.sign"], "rope.base": ["rope.sign"], "gqa.values": ["rope.sign"]}


def test_the_checks_that_are_there_to_catch_it_pay():
    assert carried_forward({**EXPLAINED, "rope.base": ["rope.half_split"]}, ()) == ["gqa.values"]


def test_a_mistake_that_no_failed_check_is_there_for_is_paid_by_the_first():
    explained = {"rope.base": ["rope.unheard_of"], "gqa.values": ["rope.unheard_of"]}

    assert carried_forward(explained, ()) == ["gqa.values"]


def test_a_rough_explanation_is_not_carried():
    assert "rope.base" not in carried_forward(EXPLAINED, {"rope.base"})
    assert carried_forward({"gqa.values": ["rope.sign"]}, {"gqa.values"}) == []
