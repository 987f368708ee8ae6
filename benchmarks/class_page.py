"""The instructor's page of a large class: its size, how soon it opens in Chromium, and how soon a search answers.

Run as ``python benchmarks/class_page.py [submissions] [rounds]``. Opening is measured from the navigation's start to a
page that is drawn and can be used; the share is of opening an empty page in the same browser.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import browser
from made_class import make_class

from grader.report.site.render import to_html

LAYOUT = "(() => { const began = performance.now(); document.body.offsetHeight; return performance.now() - began; })()"
SEARCH = """
(() => {
    const field = document.getElementById('filter-search'), began = performance.now();
    field.value = 'S1 ada';
    field.dispatchEvent(new Event('input'));
    document.body.offsetHeight;
    return performance.now() - began;
})()
"""


def opened(chromium: browser.Chromium, file: Path) -> tuple[float, float]:
    """Milliseconds from the navigation to a usable page, and of a search in it."""
    with browser.tab(chromium, file, 1280) as tab:
        ready = tab.evaluate("document.documentElement.dataset.ready ?? 'empty'")
        if ready not in ("yes", "empty"):
            raise SystemExit("the page did not start")
        took = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        took += tab.evaluate(LAYOUT)
        search = tab.evaluate(SEARCH) if ready == "yes" else 0.0
    return took, search


def main(count: int, rounds: int) -> None:
    """Render, open, search, print."""
    if browser.program() is None:
        raise SystemExit("there is no Chromium here")
    summary = make_class(count)
    began = time.perf_counter()
    page = to_html(summary, {one.id: f"students/{one.id}.html" for one in summary.submissions if one.page})
    rendered = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "index.html").write_text(page, "utf-8")
        (folder / "empty.html").write_text("<!doctype html><title>x</title>", "utf-8")
        chromium = browser.Chromium(folder / "profile")
        try:
            opened(chromium, folder / "empty.html")  # the browser's own start
            times = [opened(chromium, folder / "index.html") for _ in range(rounds)]
            empty = [opened(chromium, folder / "empty.html")[0] for _ in range(rounds)]
        finally:
            chromium.close()
    opening, search = (statistics.median(values) for values in zip(*times, strict=True))
    worst = max(one for one, _ in times)
    print(f"{count} submissions: {len(page.encode()) / 1e6:.2f} MB, written in {rendered:.2f} s")
    print(
        f"opens in {opening / 1000:.2f} s (slowest {worst / 1000:.2f} s;"
        f" an empty page in {statistics.median(empty) / 1000:.2f} s)"
    )
    print(f"a search answers in {search:.0f} ms; {rounds} rounds, one of them at a time")


if __name__ == "__main__":
    given = [int(value) for value in sys.argv[1:]]
    main(given[0] if given else 5000, given[1] if given[1:] else 7)
