"""One hostile text, through everything that shows a student's words: nothing steers, hides, orders or is markup."""

from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable

import bank_loader
import pytest
from rich.console import Console

from grader.intake.submission import SubmissionFiles
from grader.report import json_file
from grader.report.models import Report
from grader.report.page.render import to_html as page_of
from grader.report.terminal import print_report
from grader.selftest.figures import Graded
from grader.selftest.matrix import to_html
from grader.session import grade

TEXT = (
    "SEEN \x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b1m<script>alert(1)</script>&amp; [bold red]x[/nope] [link=http://x]a[/link]"
    " =HYPERLINK('x') \u202etxt\u2066\u200b\ud800\u2028\x00\x7f\rover {name} {0} %s ${x}"
    "\n::error file=a,line=1::order\n  ::add-mask::order\n##[group]order\n##vso[task.complete]order\n"
    + "long " * 30
    + "::error::order"
)
STUDENT = f"""
TEXT = {TEXT!a}
SENDABLE = TEXT.replace(chr(0), "").encode("utf-8", "replace").decode()
Odd = type(SENDABLE, (ValueError,), {{}})

def swiglu_hidden_dim(*_):
    print(SENDABLE)
    raise Odd(TEXT)
"""
ORDER = re.compile(r"^\s*::\w|##\w*\[", re.MULTILINE)
CHECK = "ffn.hidden-dim"


@pytest.fixture(scope="module")
def graded(warm_runner, settings) -> tuple[Report, str]:
    """The report on a submission whose words are all hostile, and what it printed, as renderers get it."""
    files = dict(bank_loader.base().files)
    files["assignment1/ffn.py"] += STUDENT
    files[f"{TEXT[:60]}.py"] = ""
    printed: list[str] = []
    report = grade(
        SubmissionFiles(TEXT, files, skipped=(TEXT,)),
        warm_runner,
        settings,
        seed=3,
        selected=[CHECK],
        on_output=printed.append,
    )
    return report, "".join(printed)


def on_a_terminal(report: Report, printed: str, *, language: str = "en", width: int = 80) -> str:
    """What a terminal without colours shows."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    print_report(console, report, language, printed=printed)
    return stream.getvalue()


def in_a_log(report: Report, printed: str) -> str:
    stream = io.StringIO()
    print_report(Console(file=stream, width=10_000), report, "en", printed=printed)
    return stream.getvalue()


def on_a_page(report: Report, printed: str) -> str:
    """What a reader of the page sees, in both languages, less its own style."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page_of(report), flags=re.DOTALL))


def as_json(report: Report, printed: str) -> str:
    values = json.loads(json_file.to_json(report))
    return "\n".join(texts_in(values))


RENDERERS: dict[str, Callable[[Report, str], str]] = {
    "terminal": on_a_terminal,
    "narrow terminal": lambda report, printed: on_a_terminal(report, printed, width=30),
    "Chinese terminal": lambda report, printed: on_a_terminal(report, printed, language="zh"),
    "log": in_a_log,
    "page": on_a_page,
    "JSON": as_json,
}


@pytest.mark.parametrize("renderer", RENDERERS)
def test_hostile_words_are_shown_as_words(renderer, graded):
    shown = RENDERERS[renderer](*graded)

    assert "SEEN" in shown
    assert unseen_in(shown) == set()
    assert ORDER.findall(shown) == []
    assert "[bold red]x[/nope]" in " ".join(shown.split())
    assert "{name} {0} %s ${x}" in " ".join(shown.split())


def test_the_report_on_hostile_words_is_strict_json(graded):
    report, _ = graded

    json_file.to_json(report).encode("utf-8")
    assert json_file.from_json(json_file.to_json(report)) == report


def test_a_page_shows_hostile_words_as_words(graded):
    report, _ = graded
    words = report.checks[0].finding.text["en"]
    nothing: frozenset[str] = frozenset()
    one = Graded(words, "wrong", words, 0, nothing, nothing, frozenset({words}), (words,), 0, words, 0.0)

    page = to_html([one], [words])

    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_pytest_shows_hostile_words_as_words(tmp_path):
    for path, text in bank_loader.base().files.items():
        file = tmp_path / "handed-in" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + (STUDENT if path.endswith("ffn.py") else ""), "utf-8")

    ended = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "pytest",
                "--pyargs",
                "grader.checks",
                "-k",
                "hidden_dim",
                "-p",
                "no:cacheprovider",
            ),
            *("--showlocals", "--submission", tmp_path / "handed-in"),
        ],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
    )
    shown = ended.stdout.decode("utf-8") + ended.stderr.decode("utf-8")

    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "SEEN" in shown
    assert unseen_in(shown) == set()
    assert ORDER.findall(shown) == []


def texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in items for text in texts_in(item)]


def unseen_in(shown: str) -> set[str]:
    """Characters that a terminal would not show as themselves."""
    hidden = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return {ascii(one) for one in shown if one not in "\n\t" and unicodedata.category(one) in hidden}
