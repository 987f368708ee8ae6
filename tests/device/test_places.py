"""What an answer of a round on a GPU must say: nothing passes because nothing was said."""

from __future__ import annotations

import pytest

from grader.errors import CheckFailure, Outcome
from grader.student.places import Places

ON_GPU = {"devices": ["cuda:0", "cuda:0"], "copies": 0, "scalars": 1}


def asked(*answers):
    places = Places.of("cuda:3").watched()
    for facts in answers:
        places.note(facts)
    return places


def requirements(places):
    return {
        "output": lambda: places.must_be_with_input("apply_rope"),
        "copies": lambda: places.must_copy_nothing("apply_rope"),
        "scalars": lambda: places.must_read_no_more_than(asked(ON_GPU), "apply_rope", tokens=4, more=16),
    }


@pytest.mark.parametrize("rule", ["output", "copies", "scalars"])
def test_an_answer_that_says_it_passes(rule):
    requirements(asked(ON_GPU))[rule]()


@pytest.mark.parametrize("rule", ["output", "copies", "scalars"])
@pytest.mark.parametrize("answers", [[], [{}], [{"devices": "cuda:0", "copies": None, "scalars": 0}]])
def test_an_answer_that_does_not_say_it_is_none(rule, answers):
    with pytest.raises(CheckFailure) as failure:
        requirements(asked(*answers))[rule]()

    assert failure.value.outcome is Outcome.PROTOCOL


@pytest.mark.parametrize(
    ("rule", "facts", "message"),
    [
        ("output", {**ON_GPU, "devices": ["cuda:0", "cpu"]}, "placement.output"),
        ("copies", {**ON_GPU, "copies": 1}, "placement.copies"),
        ("scalars", {**ON_GPU, "scalars": 2}, "placement.scalars"),
    ],
)
def test_what_breaks_a_rule_is_said(rule, facts, message):
    with pytest.raises(CheckFailure) as failure:
        requirements(asked(facts))[rule]()

    assert failure.value.message == message
