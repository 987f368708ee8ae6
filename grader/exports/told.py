"""What is told of a report, as plain values that every format lays out in its own way.

What students may see is decided in ``report.student_view``; every format takes a report through it first. Of a hidden
check its section and whether it passed are told, and not in which way it failed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.errors import Outcome
from grader.exports.words import say
from grader.feedback.facts import in_every_language
from grader.feedback.outcomes import OUTCOMES, on_devices
from grader.report.models import CheckResult, Finding, Frame, NamedMistake, Report
from grader.report.page import content
from grader.report.student_view import for_students

_MOST_FRAMES = 3
_FACT = "where: "


class Kind(str, Enum):
    """How a check ended, as far as other formats tell outcomes apart."""

    PASSED = "passed"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    ADVICE = "advice"
    NO_VERDICT = "no_verdict"


_KINDS = {
    Outcome.PASS: Kind.PASSED,
    Outcome.CARRIED_FORWARD: Kind.PASSED,
    Outcome.BLOCKED: Kind.BLOCKED,
    Outcome.SKIPPED: Kind.SKIPPED,
    Outcome.NOT_RUN: Kind.NO_VERDICT,
    Outcome.GRADER_ERROR: Kind.NO_VERDICT,
}


@dataclass(frozen=True)
class Told:
    """One check.

    Attributes:
        name: its id, ``hidden-4.4-1`` for the first hidden check of section 4.4; unique in a report.
        title: the promise.
        outcome: for machines, as in report.json; of a hidden check ``kind``.
        ended: the same for people.
        sentence: what is to be said of it, in one line; empty for a plain pass.
        details: further lines.
        frames: the student's own traceback, innermost last.
        mistakes: ids of the mistakes that explain it.
        seconds: what it took.
    """

    name: str
    title: str
    section: str
    kind: Kind
    outcome: str
    ended: str
    hidden: bool
    points: int
    max_points: int
    sentence: str
    details: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    mistakes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """The sentence and its details, a line each."""
        return "\n".join(line for line in (self.sentence, *self.details) if line)

    @property
    def area(self) -> str:
        """Of the id: ``rope``; of a hidden check ``hidden``."""
        return "hidden" if self.hidden else self.name.partition(".")[0]


def checks(report: Report, language: str) -> list[Told]:
    """Every check, in the report's order. Where there is no grade, no check has a verdict."""
    report = for_students(report)
    seen: Counter[str] = Counter()
    told, graded = [], report.graded  # which looks at every check
    named = {one.id: one.text[language] for one in mistakes(report)}
    for check in report.checks:
        if check.hidden:
            seen[check.section] += 1
            told.append(_hidden(check, seen[check.section], language, graded=graded))
        else:
            seconds = report.timing.checks.get(check.id, 0.0)
            told.append(_open(check, named, seconds, language, graded=graded))
    return told


def mistakes(report: Report) -> list[NamedMistake]:
    """The named mistakes that a check shows which may say so, each with these checks alone."""
    return for_students(report).mistakes if report.graded else []


def overview(report: Report, language: str) -> list[str]:
    """What there is to say of the whole, a line each; the first is the score, or that there is none."""
    report = for_students(report)
    if report.score is None:
        return [say("not_graded", language), *([report.error] if report.error else [])]
    lines = [say("score", language, score=report.score, most=report.max_score)]
    lines += [sentence[language] for sentence in content.summary(report)]
    lines += [say("mistake", language, text=one.text[language]) for one in mistakes(report)]
    lines += [note.text[language] for note in report.submission.notes]
    if report.naming_error is not None:
        lines.append(say("naming_error", language, error=report.naming_error))
    return lines if report.trusted else [*lines, report.trust[language]]


def duration(seconds: float) -> float:
    """A time as it can be shown: a report from elsewhere may hold anything."""
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def milliseconds(seconds: float) -> int:
    """Of a time in seconds."""
    return round(duration(seconds) * 1000)


def _hidden(check: CheckResult, number: int, language: str, *, graded: bool) -> Told:
    kind = _kind(check) if graded else Kind.NO_VERDICT
    failed = kind not in (Kind.PASSED, Kind.NO_VERDICT)
    kind = Kind.FAILED if failed else kind  # which way it failed is not told
    sentences = {Kind.FAILED: say("hidden_failed", language, section=check.section), Kind.NO_VERDICT: _no(language)}
    return Told(
        f"hidden-{check.section}-{number}",
        say("hidden_title", language, section=check.section),
        check.section,
        kind,
        kind.value,
        say(kind.value, language),
        True,
        check.points if graded else 0,
        check.max_points,
        sentences.get(kind, ""),
    )


def _open(check: CheckResult, named: Mapping[str, str], seconds: float, language: str, *, graded: bool) -> Told:
    kind = _kind(check) if graded else Kind.NO_VERDICT
    finding = check.finding if graded else None
    outcome = check.outcome if graded else Outcome.NOT_RUN
    return Told(
        check.id,
        check.title[language],
        check.section,
        kind,
        outcome.value,
        OUTCOMES[outcome][language],
        False,
        check.points if graded else 0,
        check.max_points,
        _sentence(check, kind, language),
        tuple(_details(check, finding, named, language)) if finding else (),
        tuple(finding.frames[-_MOST_FRAMES:]) if finding else (),
        tuple(id for id in finding.mistakes if id in named) if finding else (),
        seconds,
    )


def _kind(check: CheckResult) -> Kind:
    if check.advice and check.outcome not in (*_KINDS,):
        return Kind.ADVICE
    return _KINDS.get(check.outcome, Kind.FAILED)


def _sentence(check: CheckResult, kind: Kind, language: str) -> str:
    if kind is Kind.NO_VERDICT:
        return _no(language)
    if check.outcome is Outcome.CARRIED_FORWARD:
        return say("carried", language)
    said = "" if check.finding is None else check.finding.text[language]
    case = f" [{check.finding.case}]" if check.finding and check.finding.case else ""
    if kind is Kind.ADVICE:
        return say("advice", language, text=said or check.title[language]) + case
    if kind is Kind.PASSED:
        return ""
    if kind is Kind.BLOCKED and check.blocked_by:
        return say("blocked_by", language, parts=", ".join(check.blocked_by))
    if kind in (Kind.BLOCKED, Kind.SKIPPED):
        return said or say(kind.value, language)
    return (said or OUTCOMES[check.outcome][language]) + case


def _details(check: CheckResult, finding: Finding, named: Mapping[str, str], language: str) -> list[str]:
    """What explains the sentence: expected, got, where, why; their own lines, the next step."""
    lines = [finding.text[language]] if check.outcome is Outcome.CARRIED_FORWARD else []
    lines += [on_devices(check.devices)[language]] if check.devices else []
    parts = {"expected": finding.expected, "got": finding.got, "where": finding.where, "why": finding.why}
    lines += [_labelled(word, text[language], language) for word, text in parts.items() if text]
    if not finding.why:
        lines += [say("mistake", language, text=named[id]) for id in finding.mistakes if id in named]
    if not finding.where:
        lines += [
            in_every_language(name.removeprefix(_FACT), str(fact))[language]
            for name, fact in finding.evidence.items()
            if name.startswith(_FACT)
        ]
    lines += [frame_line(frame, language) for frame in finding.frames[-_MOST_FRAMES:]]
    if finding.next:
        lines.append(_labelled("next", finding.next[language], language))
    return [*lines, say("rule", language, id=check.id), say("again", language, id=check.id)]


def _labelled(word: str, text: str, language: str) -> str:
    return say("labelled", language, label=say(word, language), text=text)


def frame_line(frame: Frame, language: str) -> str:
    """One line of the student's own traceback."""
    function = frame.function or "<module>"
    return say("frame", language, file=frame.file, line=frame.line, function=function, text=frame.text)


def shortened(lines: Sequence[str], most: int) -> str:
    """The lines as one text of at most ``most`` characters."""
    text = "\n".join(lines)
    return text if len(text) <= most else text[: most - 3] + "..."


def _no(language: str) -> str:
    return say("no_verdict", language)
