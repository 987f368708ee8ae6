"""The page: what it says and in which order, what it keeps to itself, and that it is markup of ours alone."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest

from grader.errors import Outcome
from grader.pictures import ByPosition, Causal, Heads, RotatedPair, Rotation, Timeline
from grader.report.models import Frame, NamedMistake, Submission, SubmissionNote
from grader.report.page.render import to_html

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=x> &amp; {{ 7*7 }} {% raw %} </style>"
FRAME = Frame(file="assignment1/rope.py", line=3, function="apply_rope", text="x = 1")
TIMELINE = Timeline(sequence=0, right=[0, 1, 2], yours=[0, 1, 0])
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "input", "label", "main", "header", "section", "article"),
    *("h1", "h2", "h3", "p", "strong", "span", "br", "code", "pre", "ul", "ol", "li", "dl", "dt", "dd", "i", "time"),
    *("figure", "figcaption", "details", "summary", "div", "table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "line", "polyline", "polygon", "circle", "rect", "text"),
}


class Markup(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def failing(check_result, finding, text="It differs.", id="rope.dtype", **changes):
    return check_result(id, Outcome.FAIL, finding=finding(text, **changes))


def named(*checks, text="A mistake."):
    return NamedMistake(id="rope.half_split", text={"en": text, "zh": text}, checks=list(checks))


def visible(page):
    """Texts of the page, without markup."""
    body = page[page.index("<body>") :]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


# -- markup ------------------------------------------------------------------------------------------------------


def everything_hostile(check_result, finding, make_report):
    frame = Frame(file=HOSTILE, line=1, function=HOSTILE, text=HOSTILE)
    hostile = finding(HOSTILE, frames=[frame], case=HOSTILE, evidence={f"where: {HOSTILE}": HOSTILE})
    check = check_result("rope.dtype", Outcome.FAIL, finding=hostile, title={"en": HOSTILE, "zh": HOSTILE})
    note = SubmissionNote(message="intake.encoding", text={"en": HOSTILE, "zh": HOSTILE})
    return make_report(
        check,
        check.model_copy(update={"id": "rope.errors"}),
        submission=Submission(name=HOSTILE, digest=HOSTILE, files=[HOSTILE], skipped=[HOSTILE], notes=[note]),
        mistakes=[named("rope.dtype", text=HOSTILE)],
        naming_error=HOSTILE,
        trust={"en": HOSTILE, "zh": HOSTILE},
        assignment=HOSTILE,
    )


@pytest.mark.parametrize("graded", [True, False])
def test_hostile_words_anywhere_are_words(graded, check_result, finding, make_report):
    report = everything_hostile(check_result, finding, make_report)
    page = to_html(report if graded else report.model_copy(update={"error": HOSTILE}))

    markup = Markup(page)
    assert markup.tags <= ALLOWED_TAGS
    assert {name for name in markup.attributes if name.startswith("on") or name in ("src", "href", "srcset")} == set()
    assert "<script" not in page
    assert "49" not in visible(page)
    assert visible(page).count("<script>alert(1)</script>") >= (20 if graded else 5)


def test_the_page_forbids_scripts_and_loading(check_result, make_report):
    page = to_html(make_report(check_result()))

    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].split("; ")[:2] == ["default-src 'none'", "style-src 'unsafe-inline'"]
    assert not re.search(r"url\(|@import|https?:", page)


def test_ids_are_unique_and_every_drawing_is_labelled(check_result, finding, make_report):
    pictures = [TIMELINE, Heads(key_heads=1, right=[0, 0], yours=[0, 0])]
    checks = [failing(check_result, finding, id=id, pictures=pictures) for id in ("rope.dtype", "rope.errors")]

    page = to_html(make_report(*checks))

    ids, labels = re.findall(r' id="([^"]*)"', page), re.findall(r'aria-labelledby="([^"]*)"', page)
    assert len(set(ids)) == len(ids)
    assert len(set(labels)) == len(labels) == 4
    assert set(labels) <= set(ids)


# -- what it says ------------------------------------------------------------------------------------------------


def test_the_order_is_score_mistakes_others_advice_points_checks_submission_environment(
    check_result, finding, make_report
):
    advice = check_result("advice.autocast", Outcome.FAIL, advice=True, max_points=0, finding=finding("unused"))
    other = failing(check_result, finding, "OTHER", id="rope.errors")
    report = make_report(
        failing(check_result, finding, "NUMBERS", frames=[FRAME]), other, advice, mistakes=[named("rope.dtype")]
    )

    shown = visible(to_html(report))

    order = [
        *("Score", "A mistake.", "NUMBERS", "grader explain rope.dtype", "assignment1/rope.py:3", "OTHER"),
        *("advice.autocast", "Points by section", "All 3 checks", "What was graded", "Seed, trust", "torch 2.13.0"),
    ]
    assert sorted(order, key=shown.index) == order


def test_points_are_those_of_the_report(check_result, finding, make_report):
    carried = check_result("rope.errors", Outcome.CARRIED_FORWARD, finding=finding())
    report = make_report(
        failing(check_result, finding), carried, check_result(), mistakes=[named("rope.dtype", "rope.errors")]
    )

    shown = visible(to_html(report))

    assert "Score 得分 4 of 6" in shown
    assert "1 of 3 checks pass; points lost: 2, in checks: 1." in shown
    assert "1 more fail only because of a mistake" in shown
    assert "points lost: 2 扣 2 分 rope.half_split" in shown
    assert re.search(r"Carried forward, because they fail only because of it:.{0,60} rope\.errors", shown)
    assert "Section 4.4: RoPE 第 4.4 节：RoPE 逐步推导 4/6" in shown


def test_what_is_carried_forward_around_a_part_is_folded_behind_what_costs_points(check_result, finding, make_report):
    carried = check_result("gqa.values", Outcome.CARRIED_FORWARD, finding=finding("BORROWED"), carried_from=["rope"])
    report = make_report(carried, failing(check_result, finding, "COSTS"))

    page = to_html(report)
    shown = visible(page)

    assert shown.index("COSTS") < shown.index("1 checks carried forward") < shown.index("BORROWED")
    assert "right around a mistake elsewhere (rope)" in shown
    assert page.rindex("<details>", 0, page.index("BORROWED")) > page.index("COSTS")


def test_a_right_submission_has_no_failures(check_result, make_report):
    shown = visible(to_html(make_report(check_result())))

    assert "Every check passes." in shown
    assert "Mistakes" not in shown
    assert "Other failed checks" not in shown


@pytest.mark.parametrize("outcome", [Outcome.NOT_RUN, Outcome.GRADER_ERROR])
def test_a_run_that_is_no_grade_shows_no_points(outcome, check_result, finding, make_report):
    report = make_report(
        failing(check_result, finding), check_result("rope.base", outcome), error="no worker", mistakes=[]
    )

    shown = visible(to_html(report))

    assert "Not graded, through no fault of the submission" in shown
    assert "no worker" in shown
    assert not re.search(r"\d/2|Score|points lost", shown)


@pytest.mark.parametrize("advice", [False, True])
@pytest.mark.parametrize("with_name", [False, True])
def test_a_hidden_check_shows_its_section_only(advice, with_name, check_result, finding, make_report):
    check = failing(check_result, finding, "SECRET", id="SECRET", case="SECRET", frames=[FRAME], pictures=[TIMELINE])
    secret = {"hidden": True, "advice": advice, "title": {"en": "SECRET", "zh": "SECRET"}, "carried_from": ["SECRET"]}
    report = make_report(
        check.model_copy(update=secret), check_result(), mistakes=[named("SECRET")] if with_name else []
    )

    page = to_html(report)

    assert "SECRET" not in page
    assert "<svg" not in page
    assert FRAME.text not in page
    assert "a hidden check of section 4.4" in visible(page)
    assert "第 4.4 节的隐藏检查" in visible(page)


def test_hidden_checks_are_not_named_beside_open_ones(check_result, finding, make_report):
    hidden = failing(check_result, finding, "SECRET", id="SECRET").model_copy(update={"hidden": True})
    report = make_report(failing(check_result, finding), hidden, mistakes=[named("rope.dtype", "SECRET")])

    assert "SECRET" not in to_html(report)


def test_the_numbers_of_a_picture_are_there_to_read(check_result, finding, make_report):
    pair = RotatedPair(pair=1, angle=0.01, given=(3.0, 4.0), right=(2.9599, 4.0298), yours=(2.4615, 4.0195))
    pictures = [
        Rotation(sequence=0, token=1, head=0, position=1, pairs=[pair]),
        ByPosition(sequence=0, positions=[5, 257], error=[0.0, 0.125], allowed=[0.0, 3.5e-5]),
        Causal(keys=3, right=[[0, 1, 2]], yours=[[]]),
        TIMELINE,
    ]

    page = to_html(make_report(failing(check_result, finding, pictures=pictures)))

    rows = [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr>(<td>.*?)</tr>", page)]
    for row in (
        ["1", "0.01", "(3, 4)", "(2.96, 4.03)", "(2.462, 4.019)"],
        ["257", "0.125", "3.5e-05"],
        ["0", "0, 1, 2", "\N{EN DASH}"],
        ["2", "2", "0"],
    ):
        assert row in rows
