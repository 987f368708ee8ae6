"""What the page's script works on: the class in as few bytes as can be, since 5,000 students share one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from grader.errors import Outcome
from grader.report.site import figures
from grader.report.site.words import OUTCOMES, WORDS
from grader.report.summary import Entry, Summary

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LETTER = {outcome: _LETTERS[number] for number, outcome in enumerate(Outcome)}
"""One letter for an outcome: a student's checks are one word."""
NOTHING = "-"
"""Where a submission has no outcome for a check."""
STATES = ("graded", "infrastructure", "unreadable", "missing")
_SCRIPT_WORDS = (
    *("found", "page_of", "open", "late", "sort_by", "state_graded", "state_infrastructure", "state_unreadable"),
    *("state_missing", "all_states", "any_check", "any_mistake", "search_hint", "map_keys", "none", "of_them"),
    *figures.GROUPS,
)


def values(summary: Summary, pages: Mapping[str, str]) -> dict[str, Any]:
    """The data.

    Args:
        pages: where each student's page is, by the entry's id; without one there is no link.
    """
    mistakes = [one.id for one in figures.mistakes(summary)]
    number_of = {id: number for number, id in enumerate(mistakes)}
    return {
        "most": summary.max_score,
        "words": {word: WORDS[word] for word in _SCRIPT_WORDS},
        "outcomes": {LETTER[outcome]: {"group": figures.group_of(outcome), **OUTCOMES[outcome]} for outcome in Outcome},
        "checks": [[column.id, int(column.advice)] for column in summary.checks],
        "mistakes": [{"id": id, **summary.mistakes.get(id, {"en": id, "zh": id})} for id in mistakes],
        "students": [_student(entry, summary, number_of, pages.get(entry.id, "")) for entry in summary.submissions],
    }


def shown_id(entry: Entry) -> str:
    """What people know the student by."""
    return entry.student.id or entry.id


def _student(entry: Entry, summary: Summary, number_of: Mapping[str, int], page: str) -> list[Any]:
    """Id, name, class, score, state, outcomes, mistakes, seconds, page, is late, is unnamed, what else is said."""
    outcome_of = {cell.id: LETTER[cell.outcome] for cell in entry.checks}
    advice = {column.id for column in summary.checks if column.advice}
    student = entry.student
    said = [*([entry.reason] if entry.reason else []), *entry.notes]
    return [
        shown_id(entry),
        student.name or " ".join(part for part in (student.first_name, student.last_name) if part),
        student.section,
        entry.score,
        STATES.index(entry.state),
        "".join(outcome_of.get(column.id, NOTHING) for column in summary.checks),
        [number_of[id] for id in dict.fromkeys(entry.mistakes)],
        round(entry.seconds, 2),
        page,
        int(entry.attempt is not None and entry.attempt.late),
        int(bool(figures.unnamed(entry, advice))),
        said,
    ]


def embedded(data: object) -> Markup:
    """JSON for a ``script`` element: no ``</script>``, no comment and no line separator can stand in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - see above: nothing in it can end the element
