"""Models of mistakes: any of them can stand beside any other."""

from __future__ import annotations

import itertools

import pytest

from grader.diagnosis.mistakes import all_mistakes
from grader.diagnosis.mistakes.registry import PARTS, Mistake
from grader.diagnosis.program.rope import RopeSteps
from grader.diagnosis.replay import build

MISTAKES = all_mistakes()


class Doubles(RopeSteps):
    """Adds to a step."""

    def exponent(self, head_dim):
        return 2 * super().exponent(head_dim)


class Replaces(RopeSteps):
    """Does without the right step."""

    def exponent(self, head_dim):
        return 7


def test_no_model_is_another_with_more_to_it():
    steps = [mistake.steps for mistake in MISTAKES.values()]

    assert [(one, other) for one, other in itertools.permutations(steps, 2) if issubclass(one, other)] == []


@pytest.mark.parametrize("part", PARTS)
def test_every_pair_of_one_part_can_be_built(part):
    for pair in itertools.combinations([one for one in MISTAKES.values() if one.part == part], 2):
        build(pair)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)], ids=["one way", "the other"])
def test_what_adds_to_a_step_is_seen_beside_what_replaces_it_in_either_order(order):
    both = [Mistake("rope.doubles", "rope", "", Doubles), Mistake("rope.a_replaces", "rope", "", Replaces)]

    assert build(both[order]).exponent(8) == 14
