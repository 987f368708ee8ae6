"""The page in a real browser, at the width of a phone and of a desk, in both languages."""

from __future__ import annotations

import re

import browser
import pytest

from grader.report.page.render import to_html
from grader.session import grade

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser.program() is None, reason="there is no Chromium here"),
]
WRONG = ("rope_low_precision_positions", "attn_head_tile", "attn_mask_by_zero", "cache_decode_pos_zero")
CHECKS = ["rope.precision", "attention.head-mapping", "attention.causal", "gqa.decode-continues", "rope.base"]
KINDS = {"rotation", "by_position", "by_pair", "heads", "causal", "timeline"}
CHINESE = re.compile(r"[\u4e00-\u9fff]")

TOO_WIDE = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
HIDDEN = "[...document.querySelectorAll('main .{language}')].every(one => getComputedStyle(one).display == 'none')"
CUT_LABELS = """
[...document.querySelectorAll('svg')].flatMap(svg => [...svg.querySelectorAll('text')].filter(text => {
    if (getComputedStyle(text).display == 'none') return false;
    const box = text.getBBox(), view = svg.viewBox.baseVal;
    return box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1;
}).map(text => text.textContent))
"""
SMALLEST_DRAWING = """
Math.min(...[...document.querySelectorAll('svg')].map(one => one.getBoundingClientRect()).map(one =>
    one.left < 0 || one.right > innerWidth ? 0 : Math.min(one.width, one.height)))
"""
CONTRAST = """
(() => {
    const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const behind = one => {
        const colour = getComputedStyle(one).backgroundColor;
        return colour == 'rgba(0, 0, 0, 0)' ? behind(one.parentElement) : colour;
    };
    const texts = [...document.querySelectorAll('p, li, td, th, code, summary, svg text')];
    return Math.min(...texts.map(one => {
        const style = getComputedStyle(one);
        const [a, b] = [light(one.matches('svg text') ? style.fill : style.color), light(behind(one))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }));
})()
"""


@pytest.fixture(scope="module")
def report(warm_runner, settings, several_wrong):
    """Of a submission with several mistakes: every kind of picture."""
    graded = grade(several_wrong(*WRONG), warm_runner, settings, seed=3, selected=CHECKS)
    kinds = {picture.kind for check in graded.checks if check.finding for picture in check.finding.pictures}
    assert kinds == KINDS
    return graded


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    running = browser.Chromium(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture
def page(chromium, report, tmp_path, width, language):
    file = tmp_path / "page.html"
    file.write_text(to_html(report, language=language), "utf-8")
    with browser.tab(chromium, file, width) as tab:
        tab.address = file.as_uri()
        yield tab


widths = pytest.mark.parametrize("width", [360, 1280])
languages = pytest.mark.parametrize("language", ["en", "zh"])


@widths
@languages
def test_nothing_is_complained_of_and_nothing_else_is_requested(page):
    assert page.complaints() == []
    assert page.requested() == [page.address]


@widths
@languages
def test_the_page_fits_the_window_and_every_drawing_is_seen_whole(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")

    assert page.evaluate("document.querySelectorAll('svg').length") >= len(KINDS)
    assert page.evaluate(TOO_WIDE) == 0
    assert page.evaluate(SMALLEST_DRAWING) > 40
    assert page.evaluate(CUT_LABELS) == []


@widths
@languages
def test_a_click_changes_the_language_of_all_that_is_seen_and_read_aloud(page, language):
    other = {"en": "zh", "zh": "en"}[language]
    assert page.evaluate(HIDDEN.format(language=other))
    assert not page.evaluate(HIDDEN.format(language=language))

    page.click(f"label[for=show-{other}]")

    assert page.evaluate(HIDDEN.format(language=language))
    assert not page.evaluate(HIDDEN.format(language=other))
    spoken, images = page.spoken().replace("中文", ""), page.named_images()
    assert len(images) >= len(KINDS)
    assert bool(CHINESE.search(spoken)) == (other == "zh")
    assert [bool(CHINESE.search(name)) for name in images] == [other == "zh"] * len(images)


@widths
@languages
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(page, scheme):
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    if scheme == "dark":
        page.dark()

    assert (page.evaluate("getComputedStyle(document.body).backgroundColor") == light) == (scheme == "light")
    assert page.evaluate(CONTRAST) >= 4.5


@pytest.mark.parametrize(("width", "language"), [(1280, "en")])
def test_the_policy_stops_what_would_be_loaded_and_run(page):
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"http://127.0.0.1:9/x\" onerror=\"window.ran = 1\">')"
    )

    assert page.evaluate("window.ran === undefined")
    assert any("Content Security Policy" in complaint for complaint in page.complaints())
