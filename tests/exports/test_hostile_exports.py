"""One hostile text in every word of a report, through every format: nothing steers, hides, orders, or is markup."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import exported
import junitparser
import made_reports as made
import pytest
from exported import TEXTS, whole_report
from markdown_it import MarkdownIt

from grader.errors import Outcome
from grader.exports import source
from grader.exports.github import fenced
from grader.exports.lms.fill import FillRequest, fill
from grader.report import json_file

HOSTILE = (
    "SEEN \x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b1m</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp; ]]> "
    "[a](http://x) ![p](http://x) `c` **b** _i_ | x | @someone #12 :tada: http://example.org www.example.org $x$ "
    "\u202etxt\u2066\u200b\ud800\u2028\x00\x7f\ufffe\rover {name} {0} %s ${x} =HYPERLINK('x')"
    "\n::error file=a,line=1::order\n  ::add-mask::order\n##[group]order\n# heading\n- item\n1. item\n> quote"
    "\n=cmd|' /C'!A0"
)
ORDER = re.compile(r"^\s*::\w|##\w*\[", re.MULTILINE)
KEPT = {"id", "section", "outcome", "message", "isolation", "digest", "kind", "schema_version", "started"}
"""Fields whose values must be what they are, or the file is no report."""


@pytest.fixture
def hostile(tmp_path):
    """Read back from a file in which every sentence, name and line is hostile."""
    values = json.loads(json_file.to_json(whole_report()))
    path = tmp_path / "report.json"
    path.write_text(json.dumps(_poisoned(values)), "ascii")
    return source.read_report(path)


def report_with(hints=3, **changes):
    """A report whose finding is not as this version writes it."""
    finding = made.finding(**changes) if "text" not in changes else made.finding().model_copy(update=changes)
    check = made.check_result("rope.base", Outcome.FAIL, hints=hints, finding=finding)
    return json_file.to_json(made.make_report(check)).encode()


def _poisoned(value, name=""):
    if isinstance(value, dict):
        return {key: _poisoned(item, key) for key, item in value.items()}
    if isinstance(value, list):
        keep = name in ("checks", "mistakes") and value and isinstance(value[0], str)
        return value if keep else [_poisoned(item) for item in value]
    return HOSTILE if isinstance(value, str) and name not in KEPT else value


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TEXTS)
def test_hostile_words_come_through_every_format_as_words(name, language, hostile):
    text = TEXTS[name](hostile, language)

    assert "SEEN" in text
    text.encode("utf-8")
    assert unseen_in(text) == set()
    for shown in words_of(name, text):
        assert unseen_in(shown) == set()
        assert name == "annotations" or ORDER.findall(shown) == []


def words_of(name, text):
    """The words as a reader of the format gets them."""
    if name == "junit":
        assert list(junitparser.JUnitXml.fromstring(text.encode()))
        tree = ElementTree.fromstring(text)
        return [part for one in tree.iter() for part in (one.text or "", *one.attrib.values())]
    if name in ("github-summary", "annotations"):
        return [text]
    return list(_texts_in(json.loads(text)))


def test_annotations_are_the_only_orders_in_a_log(hostile):
    lines = TEXTS["annotations"](hostile, "en").split("\n")

    assert all(line.startswith("::error ") for line in lines)
    assert all(not re.search(r"%(?!25|0A|0D|3A|2C)", line) for line in lines)


class Elements(HTMLParser):
    """The tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)


def test_a_summary_holds_no_markup_but_ours(hostile):
    text = TEXTS["github-summary"](hostile, "en")

    page = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    plain = MarkdownIt("gfm-like", {"linkify": False}).render(TEXTS["github-summary"](whole_report(), "en"))

    assert Elements(page).found == Elements(plain).found
    assert Elements(page).found & {"a", "img", "script", "em", "blockquote"} == set()
    assert "@someone" not in text
    assert "http://" not in text
    assert ":tada:" not in text


def test_a_fence_keeps_orders_from_the_log():
    lines = fenced(HOSTILE).splitlines()

    assert lines[0].startswith("::stop-commands::")
    assert lines[-1] == f"::{lines[0].removeprefix('::stop-commands::')}::"


def test_a_grade_file_gets_no_word_of_a_students_and_no_formula(tmp_path):
    report = whole_report()
    exported.write_run(tmp_path / "run", report, ["alice"])
    poisoned = _poisoned(json.loads((tmp_path / "run/summary.json").read_text("utf-8")))
    poisoned["submissions"][0]["student"]["id"] = "alice"
    poisoned["submissions"][0].update(state="graded", id="alice")
    report_file = tmp_path / "run/reports/alice/report.json"
    report_file.write_text(json.dumps(_poisoned(json.loads(report_file.read_text("utf-8")))), "ascii")
    poisoned["submissions"][0]["report"] = "reports/alice/report.json"
    poisoned.update(layout="canvas")
    for entry, state in zip(poisoned["submissions"][1:], ("infrastructure", "unreadable", "missing"), strict=True):
        entry.update(state=state)
    (tmp_path / "run/summary.json").write_text(json.dumps(poisoned), "ascii")
    template = "Identifier,Grade,Feedback comments\nParticipant alice-1,,\n".replace("alice-1", "1")
    hostile_run = source.read_run(tmp_path / "run")
    hostile_run.summary.submissions[0].student.lms_id = "1"

    filled = fill(template.encode(), "t.csv", hostile_run, FillRequest())
    rows = list(csv.reader(io.StringIO(filled.content.decode("utf-8"))))

    assert len(rows) == 2
    assert rows[1][0] == "Participant 1"
    assert rows[1][1] == "5"
    assert rows[1][2].startswith("Score 5 of 9.")
    assert not set("<>\n") & set(rows[1][2])
    assert unseen_in(rows[1][2]) == set()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b"[]", "no report of this grader"),
        (b'{"schema_version": 2}', "no report of this grader"),
        (b"null", "no report of this grader"),
        (report_with(text={"en": "no Chinese"}), "another version of the grader: 'zh'"),
        (report_with(message="no.such", hints=1, arguments={"name": "f"}), "another version of the grader: 'no.such'"),
        (report_with(hints=1, arguments={"other": 1}), "another version of the grader: 'name'"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence(tmp_path, content, said):
    path = tmp_path / "report.json"
    path.write_bytes(content)

    with pytest.raises(source.UsageError, match=said):
        source.read(path)


def test_what_needs_no_cleaning_is_read_as_it_would_be_cleaned(run):
    path = run.folder / "summary.json"
    plain = path.read_text("utf-8")
    path.write_text(json.dumps(json.loads(plain), ensure_ascii=True).replace('"alice"', '"\\u0061lice"'), "ascii")

    assert source._is_clean(plain)
    assert not source._is_clean(path.read_text("ascii"))
    assert source.read_run(run.folder) == run


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\\u202eb", "::error::x", "##[group]", "a\\u001b[2J", "\x7f", "a\\rb", "\\\\\\u0000"]
)
def test_what_needs_cleaning_is_seen(text):
    assert not source._is_clean(f'{{"name": "fine\\n",\n "x": "{text}"}}')
    assert source._is_clean('{"name": "fine\\n \\"quoted\\" \\\\ 汉字",\n "x": 1}')


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "c:/x", "..\\x", ""])
def test_a_summary_names_no_file_outside_its_folder(path, run):
    with pytest.raises(source.UsageError, match="outside its folder"):
        run.path(path)


def _texts_in(value):
    if isinstance(value, str):
        yield value
    for item in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from _texts_in(item)


def unseen_in(shown):
    """Characters that are not shown as themselves."""
    hidden = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return {ascii(one) for one in shown if one not in "\n\t" and unicodedata.category(one) in hidden}
