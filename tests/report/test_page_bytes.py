"""The page's two languages, its size, and that its bytes depend on the report alone."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.feedback.facts import _NAMES, in_every_language
from grader.feedback.outcomes import OUTCOMES
from grader.numerics import locate
from grader.oracle.turns import told
from grader.pictures import Timeline
from grader.report.models import Frame, Submission, SubmissionNote, Timing
from grader.report.page.render import to_html
from grader.report.page.words import WORDS

TIMELINE = Timeline(sequence=0, right=[0, 1, 2], yours=[0, 1, 0])


def failing(check_result, finding):
    return check_result("rope.dtype", Outcome.FAIL, finding=finding(pictures=[TIMELINE]))


# -- languages ---------------------------------------------------------------------------------------------------


def test_both_languages_have_the_same_placeholders():
    for name, words in (WORDS | {str(outcome): said for outcome, said in OUTCOMES.items()}).items():
        placeholders = [sorted(re.findall(r"{(\w+)}", words[language])) for language in ("en", "zh")]
        assert placeholders[0] == placeholders[1], name


def test_every_outcome_has_a_word():
    assert set(OUTCOMES) == set(Outcome)


def test_every_fact_is_translated():
    read = {"key/value head read by each query head", "keys that each query saw"}
    assert set(locate._WORDS.values()) | {"pairs", "ratio", "rounding", *told([TIMELINE]), *read} == set(_NAMES)
    assert in_every_language(*next(iter(told([TIMELINE]).items())))["zh"].endswith("：0, 1, 0；应为 0, 1, 2")
    assert in_every_language("rows", "query 0: 0; query 1: none")["zh"] == "行：query 0: 0; query 1: 无"
    for fact in ("from 3 on", "up to 4", "only 0", "odd ones", "even ones", "9 of 12", "0.5 times the right value"):
        assert not re.search(r"[a-z]", in_every_language("rows", fact)["zh"])
    assert in_every_language("heads", "1, 3")["zh"] == "头：1, 3"


def test_the_languages_differ_only_in_which_is_shown_first(check_result, finding, make_report):
    report = make_report(failing(check_result, finding))

    english, chinese = to_html(report), to_html(report, language="zh")

    assert 'id="show-en" checked' in english
    assert 'id="show-zh" checked' in chinese
    assert english.replace(" checked", "") == chinese.replace(" checked", "").replace(
        '<html lang="zh"', '<html lang="en"'
    )


# -- size and bytes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['"' * 5000, "\N{GRINNING FACE}" * 5000], ids=["quotes", "wide"])
def test_a_page_stays_small_whatever_the_submission_says(text, check_result, finding, make_report):
    frames = [Frame(file=text[:200], line=1, function=text[:100], text=text[:200])] * 9
    many = list(range(64))
    pictures = [Timeline(sequence=0, right=many, yours=many)] * 4
    shown = finding(text[:1400], frames=frames, case=text[:100], pictures=pictures)
    checks = [check_result(id, Outcome.FAIL, finding=shown) for id in all_checks()]
    notes = [SubmissionNote(message="intake.cell", text={"en": text[:300], "zh": text[:300]})] * 200
    submission = Submission(
        name=text[:200], digest="0", files=[text[:200]] * 200, skipped=[text[:200]] * 200, notes=notes
    )

    page = to_html(make_report(*checks, submission=submission))

    assert len(page.encode()) < 500_000
    assert "report.json has all of them" in page
    assert all(f"<code>{id}</code>" in page for id in all_checks())


def test_only_timing_changes_the_bytes(check_result, finding, make_report):
    report = make_report(failing(check_result, finding))
    later = Timing(started="2027-01-01T00:00:00+00:00", total=9.0, diagnosis=3.0, checks={"rope.dtype": 4.0})

    pages = [to_html(one) for one in (report, report.model_copy(update={"timing": later}))]

    assert pages[0] == to_html(report)
    assert (
        pages[0]
        .replace("2026-01-01T00:00:00+00:00</time>", "2027-01-01T00:00:00+00:00</time>")
        .replace("1.5 s", "9.0 s")
        .replace("1.5 秒", "9.0 秒")
        == pages[1]
    )


def test_a_page_can_be_made_without_torch():
    program = "import sys, grader.report.page.render; print({'torch', 'pytest', 'rich'} & set(sys.modules))"

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ended.stdout == "set()\n"
