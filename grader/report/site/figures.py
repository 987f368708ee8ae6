"""The numbers of a class: scores, checks, mistakes, who needs a human, how the run went. No words and no markup."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.errors import Outcome
from grader.report.summary import CheckCell, CheckColumn, Entry, Summary

GROUPS = ("passed", "carried", "failed", "blocked", "skipped", "error")
"""How a check ended: right; wrong through an earlier mistake; wrong; not reached; no device; our fault."""

_GROUP_OF = {
    Outcome.PASS: "passed",
    Outcome.CARRIED_FORWARD: "carried",
    Outcome.BLOCKED: "blocked",
    Outcome.SKIPPED: "skipped",
    Outcome.NOT_RUN: "error",
    Outcome.GRADER_ERROR: "error",
}
BARS = 21
"""Of the histogram at the most: 0 to 4, ..., 95 to 99, 100."""
_WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def group_of(outcome: Outcome) -> str:
    """Which of ``GROUPS``."""
    return _GROUP_OF.get(outcome, "failed")


@dataclass(frozen=True)
class Bar:
    """Submissions with a score from ``low`` to ``high``, both included."""

    low: int
    high: int
    count: int


@dataclass(frozen=True)
class Scores:
    """The scores of those who have one; None where nobody has."""

    bars: Sequence[Bar]
    count: int
    mean: float | None
    median: float | None
    deviation: float | None
    lowest: int | None
    highest: int | None


@dataclass(frozen=True)
class CheckFigures:
    """One check over the class, by group."""

    column: CheckColumn
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """Submissions for which it has any outcome."""
        return sum(self.counts.values())

    @property
    def wrong(self) -> int:
        """Submissions that it costs points, or whose advice was not followed."""
        return self.counts["failed"] + self.counts["blocked"]

    @property
    def share(self) -> float:
        """Of submissions that it costs nothing, 0 to 1; without any, 1."""
        asked = self.total - self.counts["error"] - self.counts["skipped"]
        return (self.counts["passed"] + self.counts["carried"]) / asked if asked else 1.0


@dataclass(frozen=True)
class MistakeFigures:
    """One mistake over the class.

    Attributes:
        lost: points that it cost all of them together; where several explain a check, each has its share.
        checks: ids of the checks that it explains, the most frequent first.
        section: of the first of these.
    """

    id: str
    students: Sequence[str]
    lost: float
    checks: Sequence[str]
    section: str


@dataclass(frozen=True)
class Speed:
    """How long submissions took. Seconds; 0 where nothing was graded."""

    median: float
    slow: float
    slowest: float
    per_minute: float


def scores(summary: Summary) -> Scores:
    """Distribution of scores."""
    found = [entry.score for entry in summary.submissions if entry.score is not None]
    if not found:
        return Scores(_bars([], summary.max_score), 0, None, None, None, None, None)
    return Scores(
        _bars(found, summary.max_score),
        len(found),
        statistics.fmean(found),
        float(statistics.median(found)),
        statistics.pstdev(found),
        min(found),
        max(found),
    )


def _bars(found: Sequence[int], most: int) -> list[Bar]:
    """Bars of the same number of scores each; the last one also holds the most that can be had."""
    top = max([most, 1, *found])
    width = next((width for width in _WIDTHS if top // width < BARS), -(-(top + 1) // BARS))
    counts = Counter(score // width for score in found)
    return [Bar(low, min(low + width - 1, top), counts[number]) for number, low in enumerate(range(0, top + 1, width))]


def checks(summary: Summary) -> list[CheckFigures]:
    """Every check, in the assignment's order."""
    counts: dict[str, Counter[str]] = {column.id: Counter() for column in summary.checks}
    for cell in (cell for entry in summary.submissions if entry.state == "graded" for cell in entry.checks):
        if cell.id in counts:
            counts[cell.id][group_of(cell.outcome)] += 1
    return [CheckFigures(column, {group: counts[column.id][group] for group in GROUPS}) for column in summary.checks]


def mistakes(summary: Summary) -> list[MistakeFigures]:
    """Every named mistake; first what cost the class the most points: to be taught again first."""
    students: dict[str, list[str]] = {}
    lost: Counter[str] = Counter()
    explained: dict[str, Counter[str]] = {}
    for entry in summary.submissions:
        for id in dict.fromkeys(entry.mistakes):
            students.setdefault(id, []).append(entry.id)
        for cell in entry.checks:
            for id in dict.fromkeys(cell.mistakes):
                explained.setdefault(id, Counter())[cell.id] += 1
                # of a whole number of points each mistake has its share; thousandths keep the sum exact enough
                lost[id] += 1000 * (cell.max_points - cell.points) // len(set(cell.mistakes))
    section_of = {column.id: column.section for column in summary.checks}
    found = []
    for id, who in students.items():
        by_count = [check for check, _ in explained.get(id, Counter()).most_common()]
        section = next((section_of[check] for check in by_count if check in section_of), "")
        found.append(MistakeFigures(id, who, lost[id] / 1000, by_count, section))
    return sorted(found, key=lambda one: (-one.lost, -len(one.students), one.id))


def unnamed(entry: Entry, advice: set[str]) -> list[CheckCell]:
    """Checks that cost points although no known mistake explains them: someone has to look."""
    return [
        cell
        for cell in entry.checks
        if cell.points < cell.max_points
        and cell.id not in advice
        and not cell.mistakes
        and group_of(cell.outcome) == "failed"
    ]


def speed(summary: Summary) -> Speed:
    """How fast it went."""
    seconds = sorted(entry.seconds for entry in summary.submissions if entry.tries)
    if not seconds:
        return Speed(0.0, 0.0, 0.0, 0.0)
    slow = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    minutes = summary.health.seconds / 60
    return Speed(statistics.median(seconds), slow, seconds[-1], len(seconds) / minutes if minutes > 0 else 0.0)
