"""The self-test's figures: counted right, and noticed when they get worse."""

from __future__ import annotations

import pytest

from grader.selftest.figures import Graded, Share, summarise

POINTS = {"rope.a": 2, "rope.b": 1, "norm.c": 3}


def graded(name="one", kind="wrong", **changes):
    plain = {
        "name": name,
        "kind": kind,
        "area": "rope",
        "seed": 1,
        "faults": frozenset({"rope.sign"}),
        "killed_by": frozenset({"rope.a"}),
        "failed": frozenset({"rope.a"}),
        "named": ("rope.sign",),
        "lost": 2,
        "error": None,
        "seconds_a_failure": 0.1,
    }
    return Graded(**{**plain, **changes})


def correct(name="style", **changes):
    return graded(name, "correct", **{"faults": frozenset(), "failed": frozenset(), "named": (), "lost": 0, **changes})


GOOD = [graded(), graded("both", "pair", faults=frozenset({"a", "b"}), named=("b", "a")), correct()]


def test_a_good_run():
    figures = summarise(GOOD, POINTS)

    assert figures.detection == {"rope": Share(count=1, total=1)}
    assert figures.false_fails == Share(count=0, total=1)
    assert figures.right_name == figures.both_names == Share(count=1, total=1)
    assert figures.wrong_name == Share(count=0, total=1)
    assert figures.multiplicity == 1.0
    assert (figures.missed, figures.falsely_failed, figures.unnamed, figures.errors) == ([], {}, {}, {})


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (graded(failed=frozenset({"rope.b"}), lost=2), "detection of rope"),
        (graded(named=()), "right name"),
        (graded(named=("rope.sign", "norm.sum")), "wrong name"),
        (graded(failed=frozenset({"rope.a", "rope.b"}), lost=3), "points lost by a single mistake / its own points"),
        (graded("both", "pair", faults=frozenset({"a", "b"}), named=("a",)), "both names"),
        (correct(failed=frozenset({"norm.c"}), lost=3), "false fails"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_got_worse_is_said(changed, named):
    before = summarise(GOOD, POINTS)
    after = summarise([changed, *(one for one in GOOD if one.name != changed.name)], POINTS)

    assert named in after.worse_than(before)
    assert before.worse_than(after) == []


def test_an_area_that_is_no_longer_measured_is_worse():
    assert summarise([correct()], POINTS).worse_than(summarise(GOOD, POINTS))[0] == "detection of rope"


def test_a_submission_that_was_not_graded_is_listed():
    assert summarise([graded(error="no worker")], POINTS).errors == {"one (seed 1)": "no worker"}


@pytest.mark.parametrize(
    ("count", "total", "low", "high"), [(0, 0, 0, 1), (153, 153, 0.9755, 1.0), (8, 10, 0.4902, 0.9433)]
)
def test_wilson_interval(count, total, low, high):
    assert Share(count=count, total=total).interval == pytest.approx((low, high), abs=1e-4)
