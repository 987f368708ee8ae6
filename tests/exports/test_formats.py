"""What every format of one report keeps: hidden checks stay hidden, nothing without a grade looks like a zero."""

from __future__ import annotations

import re

import made_reports as made
import pytest
from exported import SECRETS, TEXTS, not_graded, whole_report

from grader.errors import Outcome
from grader.exports import told
from grader.exports.told import Kind
from grader.report.student_view import for_students

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("name", TEXTS)
def test_no_more_is_told_than_the_hints_allow(name):
    part = {"en": "numbers kept back", "zh": "numbers kept back"}
    found = made.finding(
        "numbers kept back",
        mistakes=["rope.half_split"],
        arguments={"name": "apply_rope", "actual": "numbers kept back"},
        evidence={"where: tokens": "numbers kept back"},
        why={"en": "the name", "zh": "the name"},
        next={"en": "Look again.", "zh": "再看看。"},
        **dict.fromkeys(("expected", "got", "where"), part),
    )
    named = made.mistake("rope.half_split", "rope.base", text="the name")

    texts = {}
    for hints in (1, 2, 3):
        check = made.check_result("rope.base", Outcome.FAIL, hints=hints, finding=found)
        texts[hints] = TEXTS[name](made.make_report(check, mistakes=[named]), "en")

    assert [level for level, text in texts.items() if "numbers kept back" in text] == (
        [] if name == "annotations" else [3]
    )
    assert [level for level, text in texts.items() if "the name" in text] == [2, 3]


@pytest.mark.parametrize("name", TEXTS)
def test_a_report_that_students_see_is_told_as_the_whole_one(name, report):
    quiet = report.model_copy(update={"checks": [one.model_copy(update={"hints": 1}) for one in report.checks]})
    seen = for_students(quiet)

    assert for_students(seen) == seen
    assert TEXTS[name](seen, "en") == TEXTS[name](quiet, "en")


@pytest.mark.parametrize("name", TEXTS)
def test_the_seed_of_hidden_checks_stays_behind(name, report):
    assert "987654321" not in TEXTS[name](report.model_copy(update={"seed": 987654321}), "en")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TEXTS)
def test_of_a_hidden_check_only_its_category_is_told(name, language, report):
    text = TEXTS[name](report, language)

    assert [secret for secret in SECRETS if secret in text] == []
    assert "4.4" in text
    assert re.search(r"[Hh]idden|隐藏", text)


@pytest.mark.parametrize("name", TEXTS)
def test_how_a_hidden_check_failed_is_not_told(name):
    texts = set()
    for outcome in (Outcome.FAIL, Outcome.TIMEOUT, Outcome.CRASH, Outcome.BLOCKED):
        hidden = made.check_result("rope.secret", outcome, hidden=True, finding=made.finding(str(outcome)))
        report = made.make_report(
            hidden, timing={**made.make_report().timing.model_dump(), "checks": {"rope.secret": 1}}
        )
        texts.add(TEXTS[name](report, "en"))

    assert len(texts) == 1


@pytest.mark.parametrize("name", TEXTS)
def test_each_language_is_spoken(name, report):
    english, chinese = TEXTS[name](report, "en"), TEXTS[name](report, "zh")

    assert not CHINESE.search(english)
    assert CHINESE.search(chinese)


@pytest.mark.parametrize("name", ["prairielearn", "junit", "ctrf", "github-summary", "annotations"])
def test_what_has_no_grade_says_so_and_shows_no_points(name):
    text = TEXTS[name](not_graded(), "en")

    assert "no fault of the submission" in text
    assert "the engine stopped" in text
    assert not re.search(r'"(score|points)"|name="score"|\b0/2\b', text)


def test_without_a_grade_no_check_has_a_verdict():
    checks = told.checks(not_graded(), "en")

    assert {one.kind for one in checks} == {Kind.NO_VERDICT}
    assert {one.points for one in checks} == {0}
    assert told.mistakes(not_graded()) == []


def test_outcomes_become_kinds(report):
    kinds = {one.name: one.kind for one in told.checks(report, "en")}

    assert kinds == {
        "norm.values": Kind.PASSED,
        "rope.base": Kind.FAILED,
        "gqa.cache": Kind.PASSED,
        "gqa.heads": Kind.BLOCKED,
        "gqa.device": Kind.SKIPPED,
        "advice.style": Kind.ADVICE,
        "hidden-4.4-1": Kind.FAILED,
        "hidden-4.4-2": Kind.PASSED,
    }


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_kind_and_a_sentence_unless_it_passes(outcome):
    (one,) = told.checks(made.make_report(made.check_result(outcome=outcome)), "zh")

    assert (one.sentence == "") is (outcome is Outcome.PASS)
    assert (one.kind is Kind.PASSED) is (outcome in (Outcome.PASS, Outcome.CARRIED_FORWARD))


def test_a_failed_check_is_told_with_its_numbers_its_mistake_and_the_next_step(report):
    failed = next(one for one in told.checks(report, "en") if one.name == "rope.base")

    assert failed.text.splitlines() == [
        "It differs at [0, 1]: expected 1, got 2. [random]",
        "Mistake: Pairs halves.",
        "tokens: from 1 on",
        "assignment1/rope.py, line 12, in apply_rope: return x * cos",
        "The rule with numbers to redo by hand: grader explain rope.base",
        "Check this alone again: grader check --only rope.base",
    ]


def test_a_failure_that_is_taken_apart_is_told_so():
    parts = {word: {"en": word.upper(), "zh": word} for word in ("expected", "got", "where", "why", "next")}
    check = made.check_result("rope.base", Outcome.FAIL, finding=made.finding("It differs.", **parts))

    (one,) = told.checks(made.make_report(check), "en")

    assert one.text.splitlines()[:6] == [
        *("It differs.", "Expected: EXPECTED", "Got: GOT", "Where: WHERE", "Why: WHY", "Next: NEXT")
    ]


def test_what_is_blocked_says_by_what():
    check = made.check_result("gqa.heads", Outcome.BLOCKED, blocked_by=["apply_rope"])

    (one,) = told.checks(made.make_report(check), "en")

    assert one.sentence == "Blocked: apply_rope does not run at all."


def test_names_are_unique(report):
    names = [one.name for one in told.checks(report, "en")]

    assert len(set(names)) == len(names)


def test_the_first_line_is_the_score_and_the_mistakes_follow(report):
    lines = told.overview(report, "en")

    assert lines[0] == "Score 5 of 9"
    assert "Mistake: Pairs halves." in lines
    assert report.trust["en"] in lines
    assert told.overview(whole_report(trusted=True), "en")[-1] != report.trust["en"]
