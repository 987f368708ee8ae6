"""What the page says besides failures: what the score means, points by section, the table of all checks."""

from __future__ import annotations

from dataclasses import dataclass

from grader.contract import TITLES
from grader.errors import Outcome
from grader.feedback.outcomes import OUTCOMES
from grader.report.models import CheckResult, Report
from grader.report.page import cards
from grader.report.page.words import Said, filled

_MARKS = {
    Outcome.PASS: ("\N{CHECK MARK}", "good"),
    Outcome.CARRIED_FORWARD: ("\N{RIGHTWARDS ARROW}", "carried"),
    Outcome.SKIPPED: ("\N{EN DASH}", "dim"),
    Outcome.BLOCKED: ("\N{MIDDLE DOT}", "dim"),
    Outcome.NOT_RUN: ("?", "dim"),
    Outcome.GRADER_ERROR: ("?", "dim"),
}
_FAILED, _ADVICE = ("\N{BALLOT X}", "bad"), ("!", "carried")


@dataclass(frozen=True)
class Section:
    """Points of one section of the chapter."""

    title: Said
    points: int
    most: int


@dataclass(frozen=True)
class Row:
    """One line of the table of all checks; ``id`` is empty for a hidden one."""

    mark: str
    style: str
    id: str
    title: Said
    outcome: Said
    points: str


def summary(report: Report) -> list[Said]:
    """What the score means, in sentences."""
    graded = [check for check in report.checks if check.is_graded]
    costing = [check for check in graded if check.points < check.max_points]
    passed = sum(check.outcome is Outcome.PASS for check in graded)
    carried = sum(check.outcome is Outcome.CARRIED_FORWARD for check in graded)
    lost = report.max_score - sum(check.points for check in graded)
    all_right = filled("all_right")
    some_wrong = filled("lost", passed=passed, total=len(graded), failed=len(costing), points=lost)
    sentences = [all_right if passed == len(graded) else some_wrong]
    if carried:
        sentences.append(filled("carried_means", count=carried))
    skipped = sum(check.outcome is Outcome.SKIPPED for check in report.checks)
    if skipped:
        sentences.append(filled("no_device", count=skipped))
    if report.selected:
        sentences.append(filled("only"))
    return sentences


def sections(report: Report) -> list[Section]:
    """Points by section, in the chapter's order."""
    parts = []
    for section in TITLES:
        checks = [check for check in report.checks if check.section == section and not check.advice]
        points, most = (sum(values) for values in ([one.points for one in checks], [one.max_points for one in checks]))
        if checks:
            parts.append(Section(cards.section(section), points, most))
    return parts


def advice(report: Report) -> list[Row]:
    """Advice that was not followed."""
    return [_row(check) for check in report.checks if check.advice and check.finding is not None]


def rows(report: Report) -> list[Row]:
    """All checks."""
    return [_row(check) for check in report.checks]


def _row(check: CheckResult) -> Row:
    mark, style = _MARKS.get(check.outcome, _ADVICE if check.advice else _FAILED)
    no_points = check.advice or check.outcome in (Outcome.NOT_RUN, Outcome.GRADER_ERROR)
    return Row(
        mark,
        style,
        "" if check.hidden else check.id,
        cards.title(check),
        OUTCOMES[check.outcome],
        "" if no_points else f"{check.points}/{check.max_points}",
    )
