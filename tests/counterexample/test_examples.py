"""What a counter-example is made of, and who gets none."""

from __future__ import annotations

import json

import bank_loader
import pytest

import grader
from grader.counterexample import attach
from grader.report import json_file
from grader.session import grade

HALF_SPLIT = """

def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)
"""
ROPE = ["rope.adjacent-pairs", "rope.base"]


@pytest.fixture
def graded(warm_runner, settings, submission_with):
    def run(checks, *, hidden=(), **modules):
        visibility = settings.visibility.model_copy(update={"hidden": list(hidden)})
        chosen = settings.model_copy(update={"visibility": visibility})
        report = grade(submission_with(**modules), warm_runner, chosen, seed=5, selected=list(checks))
        assert report.graded
        assert report.examples_error is None
        return report

    return run


def examples(report):
    return {check.id: check.finding.example for check in report.checks if check.finding is not None}


# -- what it says -------------------------------------------------------------------------------------------------


def test_the_chapters_numbers_come_first_where_they_show_the_fault(graded):
    example = examples(graded(ROPE, rope=HALF_SPLIT))["rope.adjacent-pairs"]

    assert example.source == "chapter"
    assert {given.name: given.text for given in example.inputs} == {"x": "[[[[1, 2, 3, 4]]]]", "positions": "[1]"}
    (row,) = example.rows
    assert row.right == ["-1.1426", "1.9221", "2.9599", "4.0298"]
    assert row.given != row.right
    assert row.wrong == [index for index in range(4) if row.given[index] != row.right[index]]
    assert example.numbers == 5
    assert example.snippet.splitlines()[:2] == ["import torch", "from assignment1.rope import apply_rope"]


def test_what_needs_two_calls_is_shown_with_two(graded):
    text = "\n\nKEPT = {}\nright = apply_rope\n\ndef apply_rope(x, positions, base=10000.0):\n"
    text += "    return right(x, positions, KEPT.setdefault('base', base))\n"

    example = examples(graded(["rope.repeated-calls"], rope=text))["rope.repeated-calls"]

    assert example.snippet.count("apply_rope(") == 2


def test_an_exception_stands_beside_the_right_numbers(graded):
    text = "\n\ndef apply_rope(x, positions, base=10000.0):\n    raise OSError('no such table')\n"

    example = examples(graded(ROPE, rope=text))["rope.adjacent-pairs"]

    assert example.given == "OSError: no such table"
    assert example.rows[0].given == []
    assert example.rows[0].right


def test_an_error_that_must_be_raised_is_one_call(graded):
    text = "\n\ndef apply_rope(x, positions, base=10000.0):\n    return x\n"

    example = examples(graded(["rope.errors"], rope=text))["rope.errors"]

    assert (example.given, example.right) == ("no error", "ValueError")
    assert "# right: ValueError" in example.snippet


def test_what_a_submission_says_is_cleaned(graded):
    text = "\n\ndef apply_rope(x, positions, base=10000.0):\n    raise OSError('\\x1b[31mred\\u202e\\nmore')\n"

    example = examples(graded(ROPE, rope=text))["rope.base"]

    assert example.given.startswith("OSError: red")
    assert not {"\x1b", "\u202e", "\n"} & set(example.given)


def test_two_runs_of_one_seed_give_the_same_examples(graded):
    first, second = (examples(graded(ROPE, rope=HALF_SPLIT)) for _ in range(2))

    assert first == second


def test_examples_are_kept_in_the_file(graded):
    report = graded(ROPE, rope=HALF_SPLIT)

    assert examples(json_file.from_json(json_file.to_json(report))) == examples(report)


# -- who gets none ------------------------------------------------------------------------------------------------


def test_a_hidden_check_has_no_example_anywhere_in_the_report(graded):
    report = graded(ROPE, rope=HALF_SPLIT, hidden=["rope.*"])

    assert set(examples(report).values()) == {None}
    assert "apply_rope(x" not in json_file.to_json(report)


def test_a_hidden_check_beside_an_open_one_has_none(graded):
    found = examples(graded(ROPE, rope=HALF_SPLIT, hidden=["rope.base"]))

    assert found["rope.base"] is None
    assert found["rope.adjacent-pairs"] is not None


@pytest.mark.parametrize(
    "body",
    ["raise NotImplementedError('later')", "import os; os._exit(3)", "def"],
    ids=["not written", "crash", "syntax"],
)
def test_what_no_call_can_show_has_none(body, graded):
    report = graded(ROPE, rope=f"\n\ndef apply_rope(x, positions, base=10000.0):\n    {body}\n")

    assert set(examples(report).values()) == {None}


def test_advice_has_none(warm_runner, settings):
    entry = bank_loader.entries("advice")[0]
    advice = [check for check in settings.points if check.startswith("advice.")]

    report = grade(entry.submission(), warm_runner, settings, seed=5, selected=advice)

    assert {check.finding.example for check in report.checks if check.finding} == {None}


def test_a_worker_that_is_lost_on_small_inputs_ends_the_search_quietly(graded):
    dying = HALF_SPLIT.replace(
        "    check_positions", "    if x.numel() < 20: import os; os._exit(3)\n    check_positions"
    )

    report = graded(ROPE, rope=dying)

    assert all(check.finding is not None for check in report.checks)
    assert set(examples(report).values()) == {None}


def test_a_fault_of_ours_costs_the_examples_and_not_the_grade(warm_runner, settings, submission_with, monkeypatch):
    def broken(*given, **named):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(attach, "steps_of", broken)
    report = grade(submission_with(rope=HALF_SPLIT), warm_runner, settings, seed=1, selected=ROPE)

    assert report.graded
    assert report.score is not None
    assert report.examples_error == "RuntimeError: no such luck"
    assert set(examples(report).values()) == {None}


# -- in a notebook ------------------------------------------------------------------------------------------------


def test_in_a_notebook_the_names_are_there_already():
    def apply_rope(x, positions, base=10000.0):
        return x

    practice = grader.check(apply_rope=apply_rope, seed=3)

    found = [one for one in examples(practice.report).values() if one is not None]
    assert found
    assert all("from assignment1" not in one.snippet for one in found)
    assert "-1.1426" in str(practice)


def test_the_schema_knows_examples():
    assert "CounterExample" in json.dumps(json_file.published_schema())
