"""What the page says of failures: one card for every mistake by name, one for every other failed check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import escape

from grader.contract import TITLES, TITLES_ZH
from grader.errors import Outcome
from grader.feedback.facts import in_every_language
from grader.feedback.outcomes import OUTCOMES, on_devices
from grader.pictures import Picture
from grader.report.example import CounterExample
from grader.report.models import CheckResult, Finding, Frame, NamedMistake, Report
from grader.report.page.figures import Figure, figure
from grader.report.page.words import Said, filled, said

_ROOM = 180_000
"""Bytes of markup for what failures show; later ones are cut short, so that no submission fills megabytes."""
_MOST_TEXT, _SHORT_TEXT, _MOST_FRAMES = 600, 100, 3
_CELL = len("<td></td>")
_DRAWN = ("key/value head read", "keys that", "position that")
"""Beginnings of facts that a picture shows."""


@dataclass(frozen=True)
class Shown:
    """A failed check that is not hidden, with what is known of it.

    Attributes:
        parts: expected, got, where, why, next: whatever may be said.
        short: something was left out, since there was no room.
    """

    check: CheckResult
    title: Said
    outcome: Said
    text: Said | None
    case: Said | None
    carried: Said | None
    parts: Sequence[tuple[str, Said]]
    facts: Sequence[Said]
    figures: Sequence[Figure]
    frames: Sequence[Frame]
    example: CounterExample | None = None
    short: bool = False


@dataclass(frozen=True)
class Card:
    """One failure.

    Attributes:
        mistake: its id; None for a check that no known mistake explains.
        lost: points.
        shown: the check that shows it best; None when only hidden ones do.
        also: ids of other checks that lose points for it.
        costless: ids of other checks that lose none.
        hidden: what may be said of hidden checks that fail because of it.
    """

    title: Said
    mistake: str | None
    lost: int
    section: Said
    shown: Shown | None
    also: Sequence[str] = ()
    costless: Sequence[str] = ()
    hidden: Sequence[Said] = ()


class Cards:
    """The cards of one report.

    Attributes:
        mistakes: in the report's order.
        others: failed checks without a name.
        carried: those among them that are carried forward.
        blocked: those that could not run because of something else.
        shortened: something was left out, to keep the page small.
    """

    def __init__(self, report: Report) -> None:
        self._room, self._figures, self.shortened = _ROOM, 0, False
        failed = {check.id: check for check in report.checks if check.objects and not check.advice}
        named = {check for mistake in report.mistakes for check in mistake.checks}
        alone = sorted((check for check in failed.values() if check.id not in named), key=_costless)
        self.mistakes = [self._mistake(mistake, failed) for mistake in report.mistakes] if report.graded else []
        others = [(self._alone(check), check) for check in alone] if report.graded else []
        self.others = [card for card, check in others if not _costless(check) and not _blocked(check)]
        self.carried = [card for card, check in others if _costless(check)]
        self.blocked = [card for card, check in others if _blocked(check)]

    def _mistake(self, mistake: NamedMistake, failed: Mapping[str, CheckResult]) -> Card:
        checks = sorted((failed[check] for check in mistake.checks if check in failed), key=_costless)
        open_ones = [check for check in checks if not check.hidden]
        others = open_ones[1:]
        return Card(
            title=_clipped(mistake.text),
            mistake=mistake.id,
            lost=sum(check.max_points - check.points for check in checks),
            section=section((open_ones or checks)[0].section) if checks else said("", ""),
            shown=self._shown(open_ones[0]) if open_ones else None,
            also=[check.id for check in others if not _costless(check)],
            costless=[check.id for check in others if _costless(check)],
            hidden=[title(check) for check in checks if check.hidden],
        )

    def _alone(self, check: CheckResult) -> Card:
        shown = None if check.hidden else self._shown(check)
        return Card(title(check), None, check.max_points - check.points, section(check.section), shown)

    def _shown(self, check: CheckResult) -> Shown:
        shown = self._in_full(check)
        weight = _weight(shown)
        if weight <= self._room:
            self._room -= weight
            return shown
        self.shortened = True
        text = {language: clip(words, _SHORT_TEXT) for language, words in (shown.text or {}).items()}
        return replace(
            shown, text=text or None, case=None, parts=[], facts=[], figures=[], frames=[], example=None, short=True
        )

    def _in_full(self, check: CheckResult) -> Shown:
        finding = check.finding
        return Shown(
            check,
            title(check),
            OUTCOMES[check.outcome],
            text=_clipped(finding.text) if finding else None,
            case=filled("case", case=clip(finding.case)) if finding and finding.case else None,
            carried=_excused(check),
            parts=list(_parts(finding)) if finding else [],
            facts=[*_devices(check), *(_facts(finding) if finding else ())],
            figures=[self._figure(picture) for picture in finding.pictures] if finding else [],
            frames=finding.frames[-_MOST_FRAMES:] if finding else [],
            example=finding.example if finding else None,
        )

    def _figure(self, picture: Picture) -> Figure:
        self._figures += 1
        return figure(picture, f"picture-{self._figures}")


def _weight(shown: Shown) -> int:
    """About how many bytes of markup it takes."""
    told = (shown.text, shown.case, *shown.facts, *(text for _, text in shown.parts))
    said = [words for one in told if one for words in one.values()]
    framed = [words for frame in shown.frames for words in (frame.file, frame.function, frame.text)]
    if shown.example is not None:
        one = shown.example
        framed += [one.snippet, one.call, one.given, one.right, *(given.text for given in one.inputs)]
        framed += [cell for row in one.rows for cell in ("<td></td>", *row.given, *row.right)]
    drawn = [len(one.drawing) + sum(_CELL + len(cell) for row in one.rows for cell in row) for one in shown.figures]
    return sum(len(escape(words).encode()) for words in (*said, *framed)) + sum(drawn)


def title(check: CheckResult) -> Said:
    """The promise; of a hidden check its section only."""
    return filled("hidden", section=check.section) if check.hidden else _clipped(check.title)


def section(number: str) -> Said:
    """A section's number and title."""
    return filled("section", section=number, title=said(TITLES.get(number, ""), TITLES_ZH.get(number, "")))


def clip(text: str, most: int = _MOST_TEXT) -> str:
    """Cut ``text``; report.json has all of it."""
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _clipped(text: Mapping[str, str]) -> Said:
    return {language: clip(words) for language, words in text.items()}


def _costless(check: CheckResult) -> bool:
    return check.outcome is Outcome.CARRIED_FORWARD


def _blocked(check: CheckResult) -> bool:
    return check.outcome is Outcome.BLOCKED


def _excused(check: CheckResult) -> Said | None:
    """Why its own code has nothing to do with it."""
    if check.blocked_by:
        return filled("blocked_by", parts=", ".join(check.blocked_by))
    return filled("carried_from", parts=", ".join(check.carried_from)) if check.carried_from else None


def _parts(finding: Finding) -> Iterator[tuple[str, Said]]:
    why = {} if finding.mistakes else finding.why  # the card's title says it
    parts = {"expected": finding.expected, "got": finding.got, "where": finding.where, "why": why}
    for word, text in parts.items():
        if text:
            yield word, _clipped(text)


def _devices(check: CheckResult) -> Iterator[Said]:
    if check.devices:
        yield on_devices(check.devices)


def _facts(finding: Finding) -> Iterator[Said]:
    for key, fact in finding.evidence.items():
        name = key.removeprefix("where: ")
        if name != key and not name.startswith(_DRAWN):
            yield in_every_language(name, clip(str(fact)))
