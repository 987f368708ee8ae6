"""The numbers and the markup of the instructor's page."""

from __future__ import annotations

import json
import re

import made_reports as made
import pytest
from made_class import make_class

from grader.errors import Outcome, UsageError
from grader.report.site import figures, words
from grader.report.site.data import LETTER, NOTHING, embedded, values
from grader.report.site.render import to_html
from grader.report.site.write import write
from grader.report.summary import CheckCell, CheckColumn, Student

CHECKS = [
    CheckColumn(id="rope.base", section="4.4", title={"en": "a", "zh": "一"}, advice=False, hidden=False, max_points=3),
    CheckColumn(id="gqa.heads", section="4.7", title={"en": "b", "zh": "二"}, advice=False, hidden=True, max_points=2),
    CheckColumn(id="advice.x", section="4.1", title={"en": "c", "zh": "三"}, advice=True, hidden=False, max_points=0),
]
NAMES = {"rope.half_split": {"en": "Halves.", "zh": "两半。"}, "gqa.tile": {"en": "Tiles.", "zh": "平铺。"}}


def cells(*outcomes, **mistakes):
    return [
        CheckCell(
            id=column.id,
            outcome=outcome,
            points=column.max_points if outcome in (Outcome.PASS, Outcome.CARRIED_FORWARD) else 0,
            max_points=column.max_points,
            mistakes=mistakes.get(column.id.partition(".")[0], []),
        )
        for column, outcome in zip(CHECKS, outcomes, strict=True)
    ]


def entry(id, *outcomes, mistakes=(), **changes):
    found = changes.pop("cells", None) or cells(*outcomes)
    score = sum(cell.points for cell in found)
    values = {"checks": found, "score": score, "max_score": 5, "mistakes": list(mistakes), **changes}
    return made.entry_of(made.make_report(), id, **values)


PASS, FAIL, CARRIED = Outcome.PASS, Outcome.FAIL, Outcome.CARRIED_FORWARD


@pytest.fixture
def summary():
    both = cells(FAIL, FAIL, PASS, rope=["rope.half_split", "gqa.tile"], gqa=["gqa.tile"])
    one = cells(FAIL, CARRIED, FAIL, rope=["rope.half_split"], gqa=["rope.half_split"])
    entries = [
        entry("right", PASS, PASS, PASS, seconds=1.0),
        entry("both", cells=both, mistakes=["rope.half_split", "gqa.tile"], seconds=2.0),
        entry("one", cells=one, mistakes=["rope.half_split"], seconds=3.0),
        entry("nameless", PASS, Outcome.TIMEOUT, PASS, seconds=4.0, student=Student(id="2026", name="王 </script>")),
        made.ungraded("broken", "infrastructure", tries=2, seconds=5.0, detail="OSError: no space"),
        made.ungraded("late", "missing"),
    ]
    return made.make_summary(
        made.make_report(), *entries, checks=CHECKS, max_score=5, mistakes=NAMES, layout="canvas", input="in.zip"
    )


def test_scores_are_of_those_who_have_one(summary):
    found = figures.scores(summary)

    assert (found.count, found.lowest, found.highest) == (4, 0, 5)
    assert found.mean == 2.5
    assert found.median == 2.5
    assert [(bar.low, bar.count) for bar in found.bars if bar.count] == [(0, 1), (2, 1), (3, 1), (5, 1)]


def test_nobody_has_a_score():
    found = figures.scores(made.make_summary(made.make_report(), made.ungraded("x", "missing"), max_score=5))

    assert (found.count, found.mean, found.median) == (0, None, None)


@pytest.mark.parametrize(("most", "width", "count"), [(5, 1, 6), (20, 1, 21), (94, 5, 19), (100, 5, 21), (0, 1, 2)])
def test_bars_are_of_one_width_and_hold_every_score(most, width, count):
    entries = [made.entry_of(made.make_report(), str(score), score=score, max_score=most) for score in range(most + 1)]

    bars = figures.scores(made.make_summary(made.make_report(), *entries, max_score=most)).bars

    assert len(bars) == count
    assert {bar.high - bar.low + 1 for bar in bars[:-1]} == {width}
    assert sum(bar.count for bar in bars) == most + 1
    assert bars[-1].high == max(most, 1)


def test_checks_count_outcomes_of_graded_submissions(summary):
    rope, gqa, advice = figures.checks(summary)

    assert rope.counts == {"passed": 2, "carried": 0, "failed": 2, "blocked": 0, "skipped": 0, "error": 0}
    assert gqa.counts["carried"] == 1
    assert gqa.counts["failed"] == 2
    assert (rope.share, gqa.share, advice.share) == (0.5, 0.5, 0.75)
    assert rope.wrong == 2


def test_mistakes_come_with_who_makes_them_and_what_they_cost(summary):
    first, second = figures.mistakes(summary)

    assert (first.id, list(first.students), first.lost, first.section) == (
        "rope.half_split",
        ["both", "one"],
        4.5,
        "4.4",
    )
    assert (second.id, list(second.students), second.lost) == ("gqa.tile", ["both"], 3.5)
    assert list(first.checks) == ["rope.base", "gqa.heads"]


def test_lost_points_of_all_mistakes_are_those_that_named_checks_lost(summary):
    lost = sum(c.max_points - c.points for one in summary.submissions for c in one.checks if c.mistakes)

    assert sum(one.lost for one in figures.mistakes(summary)) == lost


def test_points_lost_without_a_name_need_a_human(summary):
    found = {one.id: [cell.id for cell in figures.unnamed(one, {"advice.x"})] for one in summary.submissions}

    assert found == {"right": [], "both": [], "one": [], "nameless": ["gqa.heads"], "broken": [], "late": []}


def test_speed_is_of_what_was_tried(summary):
    found = figures.speed(summary)

    assert (found.median, found.slowest) == (3.0, 5.0)
    assert found.per_minute == 5 / 1.5


# -- data and markup ---------------------------------------------------------------------------------------------


def test_the_data_hold_every_outcome(summary):
    data = values(summary, {"right": "students/right.html"})

    words_of = {student[0]: student[5] for student in data["students"]}
    assert words_of["one"] == LETTER[FAIL] + LETTER[CARRIED] + LETTER[FAIL]
    assert words_of["late"] == NOTHING * 3
    assert [student[8] for student in data["students"]] == ["students/right.html", "", "", "", "", ""]
    assert len(set(LETTER.values())) == len(Outcome)


def test_data_cannot_end_their_element():
    text = embedded({"x": "</script><!--<script>\u2028&"})

    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"x": "</script><!--<script>\u2028&"}


def test_the_page_shows_hostile_words_as_words(summary):
    summary.assignment = "</title><script>alert(1)</script>"
    summary.submissions[4].detail = "<img src=x onerror=alert(1)>"
    summary.mistakes["gqa.tile"]["en"] = "<b>bold</b>"

    page = to_html(summary, {})

    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "<b>" not in page


def test_the_policy_allows_our_script_and_nothing_else(summary):
    page = to_html(summary, {})

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"\s(?:style|on\w+)=", page.partition("<script")[0])
    assert "http" not in re.sub(r"<script.*", "", page, flags=re.DOTALL).replace('http-equiv="', "")


@pytest.mark.parametrize("count", [0, 1, 10])
def test_a_class_of_any_size_has_a_page(count):
    assert to_html(make_class(count), {}).endswith("</html>\n")


def test_the_same_summary_gives_the_same_bytes():
    assert to_html(make_class(30), {}) == to_html(make_class(30), {})


def test_words_are_in_both_languages():
    for said in words.WORDS.values():
        assert set(said) == {"en", "zh"}
        assert said["en"].isascii()
        assert re.findall(r"\{\w+\}", said["en"]) == re.findall(r"\{\w+\}", said["zh"]) or sorted(
            re.findall(r"\{\w+\}", said["en"])
        ) == sorted(re.findall(r"\{\w+\}", said["zh"]))


def test_every_word_of_the_page_is_used():
    from importlib import resources

    files = resources.files("grader.report.site")
    texts = [path.read_text("utf-8") for path in files.iterdir() if path.name.endswith((".py", ".jinja"))]
    texts += [path.read_text("utf-8") for path in (files / "script").iterdir()]
    template = (files / "site.html.jinja").read_text("utf-8")
    built = {f"state_{state}" for state in ("graded", "infrastructure", "unreadable", "missing", "unnamed", "noted")}
    built |= {f"{name}_means" for name in ("infrastructure", "unreadable", "missing", "unnamed", "notes")}

    unused = [
        word
        for word in words.WORDS
        if word not in built
        and not any(re.search(rf"\b{word}\b", text.replace(f'    "{word}": said', "")) for text in texts)
    ]

    assert template
    assert unused == []


# -- the folder --------------------------------------------------------------------------------------------------


def page_in(folder):
    def page_of(one):
        return None if one.page is None else folder / f"{one.id}.html"

    return page_of


def test_the_folder_holds_the_page_and_the_students_pages(summary, tmp_path):
    (tmp_path / "pages").mkdir()
    for id in ("right", "both", "one"):
        (tmp_path / "pages" / f"{id}.html").write_text(id, "utf-8")

    missing = write(summary, page_in(tmp_path / "pages"), tmp_path / "site", language="zh")

    assert missing == ["nameless"]
    assert sorted(path.name for path in (tmp_path / "site").rglob("*")) == [
        *("both.html", "index.html", "one.html", "right.html", "students")
    ]
    index = (tmp_path / "site/index.html").read_text("utf-8")
    assert "students/right.html" in index
    assert "students/nameless.html" not in index
    assert '<html lang="zh">' in index


def test_an_earlier_report_is_written_over_and_nothing_else_is(summary, tmp_path):
    (tmp_path / "pages").mkdir()
    write(summary, page_in(tmp_path / "pages"), tmp_path / "site", language="en")
    write(summary, page_in(tmp_path / "pages"), tmp_path / "site", language="en")

    (tmp_path / "site/thesis.tex").touch()
    with pytest.raises(UsageError, match=r"something else \(thesis\.tex\)"):
        write(summary, page_in(tmp_path / "pages"), tmp_path / "site", language="en")
    with pytest.raises(UsageError, match="not a folder"):
        write(summary, page_in(tmp_path / "pages"), tmp_path / "site/thesis.tex", language="en")
