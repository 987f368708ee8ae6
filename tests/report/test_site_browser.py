"""The instructor's page in a real browser: filters, order, keys, languages, widths; and nothing else is loaded."""

from __future__ import annotations

import json
import re

import browser
import pytest
from made_class import make_class

from grader.report.site import figures
from grader.report.site.render import to_html

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser.program() is None, reason="there is no Chromium here"),
]
COUNT, PER_PAGE = 300, 50
WIDTHS = {"phone": 360, "desk": 1280}
CHINESE = re.compile(r"[\u4e00-\u9fff]")
TOO_WIDE = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
ROWS = """
[...document.querySelectorAll('#students tbody tr')].map(row => [...row.children].map(cell => cell.innerText.trim()))
"""
FOUND = "document.getElementById('found').innerText"
UNNAMED = """
[...document.querySelectorAll('button, input, select, canvas, a, [role=region], nav')].filter(one =>
    !(one.textContent.trim() || one.getAttribute('aria-label') || (one.labels && one.labels.length)))
    .map(one => one.outerHTML)
"""
CONTRAST = """
(() => {
    const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = one => {
        for (; one; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (!/, 0\\)$/.test(colour)) return colour;
        }
        return getComputedStyle(document.body).backgroundColor;
    };
    return Math.min(...[...document.querySelectorAll('main *')].filter(one =>
        one.childNodes.length && one.firstChild.nodeType === 3 && one.firstChild.data.trim() && !one.closest('svg')
        && one.offsetWidth && !one.disabled).map(one => {
            const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }));
})()
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    running = browser.Chromium(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture(scope="module")
def summary():
    return make_class(COUNT, hidden=("rope.base",))


@pytest.fixture(scope="module")
def file(summary, tmp_path_factory):
    path = tmp_path_factory.mktemp("site") / "index.html"
    pages = {one.id: f"students/{one.id}.html" for one in summary.submissions if one.page}
    path.write_text(to_html(summary, pages), "utf-8")
    return path


@pytest.fixture
def desk(chromium, file):
    with browser.tab(chromium, file, WIDTHS["desk"]) as tab:
        yield tab
        assert tab.complaints() == []
        assert tab.requested() == [file.as_uri()]


def choose(tab, name, value, event="change"):
    tab.evaluate(
        f"(() => {{ const one = document.getElementById('filter-{name}'); one.value = {json.dumps(str(value))};"
        f" one.dispatchEvent(new Event('{event}', {{bubbles: true}})); }})()"
    )


def click(tab, selector):
    tab.evaluate(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
    tab.click(selector)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_without_complaint_at_every_width(width, language, chromium, file, tmp_path):
    with browser.tab(chromium, file, WIDTHS[width]) as tab:
        click(tab, f"label[for=show-{language}]")

        assert tab.evaluate("document.documentElement.dataset.ready") == "yes"
        assert tab.evaluate(TOO_WIDE) == 0
        assert tab.complaints() == []
        assert tab.requested() == [file.as_uri()]
        assert tab.evaluate("document.documentElement.lang") == language
        tab.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 50_000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_language_is_shown_everywhere(language, desk):
    click(desk, f"label[for=show-{language}]")
    choose(desk, "search", "no one is called so", "input")

    other = "zh" if language == "en" else "en"
    assert desk.evaluate(f"[...document.querySelectorAll('main .{other}')].every(one => !one.offsetWidth)")
    spoken = desk.spoken()
    assert ("Needs a human" in spoken) is (language == "en")
    assert ("需要人工处理" in spoken) is (language == "zh")
    labels = desk.evaluate(
        "[...document.querySelectorAll('[aria-label]')].map(one => one.getAttribute('aria-label')).join() +"
        " document.getElementById('filter-search').placeholder +"
        " [...document.querySelectorAll('#filter-state option')].map(one => one.textContent).join()"
    )
    assert bool(CHINESE.search(labels)) is (language == "zh")


def test_everybody_is_in_the_table_a_page_at_a_time(desk, summary):
    seen = []
    for _ in range(COUNT // PER_PAGE):
        rows = desk.evaluate(ROWS)
        seen += [row[0] for row in rows]
        click(desk, "#next")

    assert seen == sorted(entry.id for entry in summary.submissions)
    assert desk.evaluate("document.getElementById('next').disabled")
    assert desk.evaluate("document.querySelector('#students').getAttribute('aria-rowcount')") == str(COUNT + 1)


def test_scores_sort_both_ways_and_those_without_come_last(desk, summary):
    scores = sorted((entry.score for entry in summary.submissions if entry.score is not None), reverse=True)

    click(desk, "#students th[data-key=score] button")
    assert [int(row[3]) for row in desk.evaluate(ROWS)] == scores[:PER_PAGE]
    assert desk.evaluate("document.querySelector('th[data-key=score]').getAttribute('aria-sort')") == "descending"

    click(desk, "#students th[data-key=score] button")
    assert [int(row[3]) for row in desk.evaluate(ROWS)] == scores[::-1][:PER_PAGE]

    for _ in range(COUNT // PER_PAGE):
        click(desk, "#next")
    assert desk.evaluate(ROWS)[-1][3] == ""


@pytest.mark.parametrize("state", ["graded", "infrastructure", "unreadable", "missing", "unnamed", "noted"])
def test_states_are_filtered(state, desk, summary):
    advice = {column.id for column in summary.checks if column.advice}
    expected = {
        "unnamed": [one for one in summary.submissions if figures.unnamed(one, advice)],
        "noted": [one for one in summary.submissions if one.notes or one.reason],
    }.get(state) or summary.in_state(state)

    choose(desk, "state", state)

    assert desk.evaluate(FOUND) == f"{len(expected)} of {COUNT} submissions"
    assert [row[0] for row in desk.evaluate(ROWS)] == [one.id for one in expected][:PER_PAGE]


def test_search_finds_names_numbers_and_classes(desk, summary):
    choose(desk, "search", "LOVELACE s1", "input")

    expected = [
        one.id for one in summary.submissions if one.student.name == "Ada Lovelace" and one.student.section == "S1"
    ]
    assert [row[0] for row in desk.evaluate(ROWS)] == expected
    assert expected

    choose(desk, "search", "<img src=x onerror=alert(1)>", "input")
    assert desk.evaluate(ROWS) == []
    assert desk.evaluate(FOUND) == f"0 of {COUNT} submissions"
    click(desk, "#reset")
    assert desk.evaluate(FOUND) == f"{COUNT} of {COUNT} submissions"


def test_checks_and_mistakes_are_filtered_together(desk, summary):
    mistake = figures.mistakes(summary)[0]
    check = mistake.checks[0]
    place = [column.id for column in summary.checks].index(check)
    bad = [
        one
        for one in summary.submissions
        for cell in one.checks
        if cell.id == check and cell.outcome.value not in ("pass", "carried_forward", "skipped")
    ]

    choose(desk, "check", place)
    assert desk.evaluate(FOUND) == f"{len(bad)} of {COUNT} submissions"

    choose(desk, "mistake", 0)
    expected = [one.id for one in bad if mistake.id in one.mistakes]
    assert [row[0] for row in desk.evaluate(ROWS)] == expected[:PER_PAGE]
    assert expected

    choose(desk, "low", 200, "input")
    assert desk.evaluate(ROWS) == []


def test_a_mistake_leads_to_those_who_make_it(desk, summary):
    click(desk, "#teach tbody tr:nth-child(2) button")

    second = figures.mistakes(summary)[1]
    assert desk.evaluate(FOUND) == f"{len(second.students)} of {COUNT} submissions"
    assert all(second.id in row[5] for row in desk.evaluate(ROWS))
    assert desk.evaluate("document.activeElement.id") == "table"


def test_a_check_leads_to_those_who_fail_it(desk, summary):
    worst = desk.evaluate("document.querySelector('#checks tbody tr code').innerText")
    click(desk, "#checks tbody tr button")

    wrong = next(one.wrong for one in figures.checks(summary) if one.column.id == worst)
    assert desk.evaluate(FOUND) == f"{wrong} of {COUNT} submissions"


def test_tables_in_the_page_sort(desk):
    column = "[...document.querySelectorAll('#checks tbody tr')].map(row => row.children[0].innerText)"
    numbers = "[...document.querySelectorAll('#checks tbody tr')].map(row => Number(row.children[7].dataset.value))"

    click(desk, "#checks thead th:first-child button")
    names = desk.evaluate(column)
    assert names == sorted(names)

    click(desk, "#checks thead th:nth-child(8) button")
    failed = desk.evaluate(numbers)
    assert failed == sorted(failed, reverse=True)
    assert failed[0] > failed[-1]


def test_the_map_is_walked_by_keys_and_says_where_it_is(desk, summary):
    best = sorted((one for one in summary.submissions if one.state == "graded"), key=lambda one: -one.score)[0].score
    desk.evaluate("document.getElementById('map').focus()")

    first = desk.evaluate("document.getElementById('map-says').innerText")
    desk.press("ArrowRight")
    second = desk.evaluate("document.getElementById('map-says').innerText")
    desk.press("ArrowDown")
    third = desk.evaluate("document.getElementById('map-says').innerText")
    assert summary.checks[0].id in first
    assert summary.checks[1].id in second
    assert summary.checks[1].id in third
    assert second != third

    desk.press("Enter")
    (row,) = desk.evaluate(ROWS)
    assert third.startswith(row[0])
    assert int(row[3]) == best


def test_the_map_shows_what_is_filtered(desk):
    before = desk.evaluate("document.getElementById('map').toDataURL().length")
    choose(desk, "search", "Lovelace", "input")

    assert desk.evaluate("document.getElementById('map').toDataURL().length") != before
    choose(desk, "state", "missing")
    assert desk.evaluate("document.getElementById('map').height") < 60


def test_links_lead_to_the_students_pages(desk, summary):
    links = desk.evaluate("[...document.querySelectorAll('#students tbody a')].map(one => one.getAttribute('href'))")

    first = sorted(one.id for one in summary.submissions)[:PER_PAGE]
    graded = {one.id for one in summary.submissions if one.page}
    assert links == [f"students/{id}.html" for id in first if id in graded]


def test_everything_has_a_name_a_caption_or_a_label(desk):
    assert desk.evaluate(UNNAMED) == []
    assert desk.evaluate("[...document.querySelectorAll('table')].every(one => one.caption && one.caption.textContent)")
    assert desk.evaluate("[...document.querySelectorAll('th')].every(one => one.scope)")
    assert len(desk.named_images()) >= 1


def test_what_the_map_shows_stands_in_a_table_as_well(desk, summary):
    choose(desk, "state", "graded")
    desk.evaluate("document.querySelectorAll('#students details').forEach(one => { one.open = true })")
    shown = {row[0]: set(row[6].split()) for row in desk.evaluate(ROWS)}

    advice = {column.id for column in summary.checks if column.advice}
    for one in summary.submissions:
        if one.id in shown:
            bad = {c.id for c in one.checks if c.points < c.max_points and c.id not in advice}
            assert {word for word in shown[one.id] if not word.startswith("+")} == bad


@pytest.mark.parametrize("dark", [False, True])
def test_words_can_be_told_from_what_is_behind_them(dark, desk):
    if dark:
        desk.dark()

    assert desk.evaluate(CONTRAST) >= 4.5


@pytest.mark.parametrize("count", [0, 1, 10])
def test_a_small_class_is_fine_as_well(count, chromium, tmp_path):
    (tmp_path / "index.html").write_text(to_html(make_class(count), {}), "utf-8")

    with browser.tab(chromium, tmp_path / "index.html", 1280) as tab:
        assert tab.evaluate("document.documentElement.dataset.ready") == "yes"
        assert tab.evaluate(FOUND) == f"{count} of {count} submissions"
        assert tab.complaints() == []
