"""Every failure can be taken apart, in both languages, and says why or that nobody knows."""

from __future__ import annotations

import string

import golden_words
import pytest

from grader.errors import CheckFailure
from grader.feedback import explained, messages
from grader.report.models import NamedMistake
from grader.report.results import explain_why, finding_of

ENGLISH, CHINESE = explained.catalogue("en"), explained.catalogue("zh")
NOT_OF_CHECKS = ("intake.", "isolation.", "batch.")
OF_CHECKS = [id for id in messages.catalogue("en") if not id.startswith(NOT_OF_CHECKS)]


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_message_of_a_check_is_taken_apart_and_no_other():
    assert list(ENGLISH) == list(CHINESE)
    assert sorted(ENGLISH) == sorted(OF_CHECKS)


@pytest.mark.parametrize("id", OF_CHECKS)
def test_both_languages_say_the_same_parts_with_the_arguments_of_the_message(id):
    assert list(ENGLISH[id]) == list(CHINESE[id])
    assert set(explained.KEYS) <= set(ENGLISH[id]) <= {*explained.KEYS, "where", "why", "next_rounded"}
    for key, text in ENGLISH[id].items():
        assert placeholders(CHINESE[id][key]) == placeholders(text)
        assert placeholders(text) <= messages.placeholders(id, "en") | {"name", "expected"}


@pytest.mark.parametrize("id", OF_CHECKS)
def test_a_symptom_holds_no_value(id):
    assert placeholders(ENGLISH[id]["symptom"]).isdisjoint({"expected", "actual", "allowed", "index", "largest"})


@pytest.mark.parametrize("id", OF_CHECKS)
def test_a_finding_says_what_where_why_and_what_next(id, check_result):
    arguments = {name: f"<{name}>" for name in messages.placeholders(id, "en")}
    result = check_result(finding=finding_of(CheckFailure(id, **arguments), None))

    explain_why([result], [])

    finding = result.finding
    for part in (finding.expected, finding.got, finding.where, finding.why, finding.next):
        assert set(part) == set(messages.LANGUAGES)
        assert all(text.strip() and "{" not in text.replace("{head_dim}", "") for text in part.values())


def test_where_is_the_innermost_line_of_the_student_where_there_is_one():
    frames = [{"file": "assignment1/rope.py", "line": 9, "function": "apply_rope", "text": "x.view(3)"}]
    raised = CheckFailure("call.raised", frames=frames, name="apply_rope", type="RuntimeError", detail="no")

    assert finding_of(raised, None).where["en"] == "assignment1/rope.py, line 9, in apply_rope"
    assert finding_of(raised, None).where["zh"] == "assignment1/rope.py 第 9 行，apply_rope 中"


def test_where_names_the_axes_that_are_wrong():
    values = {"axes": "[B, T]", "index": [0, 1], "expected": "1", "actual": "2", "count": 1, "total": 4}
    failure = CheckFailure(
        "values.differ", name="f", largest="1", allowed="0", evidence={"where: heads": "only 0"}, **values
    )

    assert finding_of(failure, None).where["en"] == "[B, T] = [0, 1], and 1 of 4 elements in all; heads: only 0"
    assert finding_of(failure, None).where["zh"] == "[B, T] = [0, 1]；4 个元素中共有 1 个；头：仅 0"


@pytest.mark.parametrize(("facts", "word"), [({}, "by hand"), ({"where: rounding": "x"}, "rounded")])
def test_the_next_step_of_a_rounding_error_is_to_look_at_dtypes(facts, word):
    values = dict.fromkeys(messages.placeholders("values.differ", "en"), "1")

    assert word in finding_of(CheckFailure("values.differ", evidence=facts, **values), None).next["en"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, explained.UNKNOWN["en"]),
        ({"blocked_by": ["apply_rope"]}, "it needs apply_rope, which does not run at all"),
        ({"carried_from": ["rope"]}, "only your own part differs: rope"),
    ],
)
def test_why_is_what_was_found_out_or_unknown(changes, expected, check_result, finding):
    result = check_result(finding=finding(arguments={"name": "f"}), **changes)

    explain_why([result], [])

    assert result.finding.why["en"] == expected


def test_why_is_the_mistake_where_it_has_a_name(check_result, finding):
    result = check_result(finding=finding(mistakes=["rope.sign"]))

    explain_why([result], [NamedMistake(id="rope.sign", text={"en": "The sign.", "zh": "符号。"}, checks=[])])

    assert result.finding.why == {"en": "The sign.", "zh": "符号。"}


def test_the_page_with_all_words_is_the_one_that_was_read():
    # read what changed, then write it anew: python tests/golden_words.py
    assert golden_words.PAGE.read_text("utf-8") == golden_words.page()
