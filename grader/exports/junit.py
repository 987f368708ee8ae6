"""JUnit XML, for GitLab, Jenkins, Azure and Gitea.

* Names are unique: of two tests with one name GitLab keeps the first. It shows ``classname`` as the suite.
* What the submission got wrong is ``<failure>``; ``<error>`` is ours alone, so that nobody takes one for the other.
* GitLab reads files of at most 30 MB each: a class is written as one file a submission, or as one for smaller classes.
* No XML parser reads control characters back, and neither ElementTree nor junitparser keeps them from being written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import IO
from xml.etree import ElementTree as Xml  # writes only; nothing from outside is parsed here

from grader.exports import told
from grader.exports.told import Kind, Told
from grader.exports.words import say
from grader.report.models import Report
from grader.report.student_view import for_students
from grader.report.summary import Entry

_MOST_TEXT, _MOST_MESSAGE = 20_000, 500
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = "<?xml version='1.0' encoding='utf-8'?>\n"
_COUNTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def to_text(report: Report, language: str) -> str:
    """One report as a file of its own."""
    suite = _suite(report, "", language)
    return f"{_HEAD}<testsuites{_attributes(_counts([suite]))}>\n{_written(suite)}</testsuites>\n"


def write_run(reports: Iterable[tuple[Entry, Report | None]], stream: IO[str], spool: IO[str], language: str) -> None:
    """A whole class into ``stream``, a suite for every submission.

    Args:
        spool: an empty file for what comes after the totals, which stand first.
    """
    totals: Counter[str] = Counter()
    for entry, report in reports:
        suite = _entry_suite(entry, language) if report is None else _suite(report, entry.id, language)
        totals.update(_counts([suite]))
        spool.write(_written(suite))
    stream.write(f"{_HEAD}<testsuites{_attributes(totals)}>\n")
    spool.seek(0)
    while piece := spool.read(1 << 20):
        stream.write(piece)
    stream.write("</testsuites>\n")


def entry_text(entry: Entry, report: Report | None, language: str) -> str:
    """One submission of a class as a file of its own."""
    suite = _entry_suite(entry, language) if report is None else _suite(report, entry.id, language)
    return f"{_HEAD}<testsuites{_attributes(_counts([suite]))}>\n{_written(suite)}</testsuites>\n"


def _suite(report: Report, student: str, language: str) -> Xml.Element:
    """A submission.

    Args:
        student: goes into every test's name and class; empty for a report that stands alone.
    """
    report = for_students(report)
    suite = Xml.Element("testsuite", name=_legal(student or report.submission.name or report.assignment))
    properties = Xml.SubElement(suite, "properties")
    facts = {"score": report.score, "max_score": report.max_score, "seed": report.seed, "trusted": report.trusted}
    for name, value in facts.items():
        if value is not None:
            Xml.SubElement(properties, "property", name=name, value=str(value))
    if not report.graded:
        _case(
            suite, student, "grading", "grader", "error", say("not_graded", language), report.error or "", "not_graded"
        )
    for one in told.checks(report, language):
        _check(suite, student, one, language)
    return _finished(suite, report.timing.total, report.timing.started)


def _check(suite: Xml.Element, student: str, one: Told, language: str) -> None:
    tag = {Kind.FAILED: "failure", Kind.PASSED: ""}.get(one.kind, "skipped")
    message = one.sentence or say("passes", language)
    name = one.name if one.hidden else f"{one.name}: {one.title}"
    _case(suite, student, name, one.area, tag, message, one.text, one.outcome, one.seconds)


def _entry_suite(entry: Entry, language: str) -> Xml.Element:
    """A submission without a report."""
    suite = Xml.Element("testsuite", name=_legal(entry.id))
    tags = {"missing": "skipped", "unreadable": "failure"}
    said = say(entry.state if entry.state in tags else "not_graded", language)
    reason = (entry.reason or {}).get(language, "")
    _case(suite, entry.id, "grading", "grader", tags.get(entry.state, "error"), said, reason, entry.state)
    return _finished(suite, entry.seconds, None)


def _case(
    suite: Xml.Element,
    student: str,
    name: str,
    area: str,
    tag: str,
    message: str,
    text: str,
    outcome: str,
    seconds: float = 0.0,
) -> None:
    own = f"{student} / {name}" if student else name
    place = f"{student}.{area}" if student else area
    case = Xml.SubElement(
        suite, "testcase", classname=_legal(place), name=_legal(own), time=f"{told.duration(seconds):.3f}"
    )
    if tag == "skipped":
        Xml.SubElement(case, tag, message=_line(message))
    elif tag:
        Xml.SubElement(case, tag, message=_line(message), type=_legal(outcome)).text = _legal(text[:_MOST_TEXT])
    elif text:
        Xml.SubElement(case, "system-out").text = _legal(text[:_MOST_TEXT])


def _finished(suite: Xml.Element, seconds: float, started: str | None) -> Xml.Element:
    for name, value in _counts([suite]).items():
        suite.set(name, str(value))
    suite.set("time", f"{told.duration(seconds):.3f}")
    if started:
        suite.set("timestamp", _legal(started))
    return suite


def _counts(suites: Iterable[Xml.Element]) -> Counter[str]:
    counts = Counter({"tests": 0, "failures": 0, "errors": 0, "skipped": 0})
    for case in (case for suite in suites for case in suite.iter("testcase")):
        counts["tests"] += 1
        counts.update(_COUNTS[part.tag] for part in case if part.tag in _COUNTS)
    return counts


def _attributes(counts: Counter[str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in counts.items())


def _written(suite: Xml.Element) -> str:
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode") + "\n"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return _legal(line if len(line) <= _MOST_MESSAGE else line[: _MOST_MESSAGE - 3] + "...")


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
