"""From what was handed in, and how grading ended, to an entry of the summary."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.batch.tasks import Result
from grader.feedback import messages
from grader.intake.bulk.handed_in import HandedIn, OfStudent
from grader.report.summary import Attempt, Entry, State, Student
from grader.text import clean

_LONGEST_ID = 60
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)  # names of devices on Windows
_NAME, _TEXT = 200, 1000


@dataclass(frozen=True)
class Planned:
    """One student of the run.

    Attributes:
        id: the entry's.
    """

    id: str
    of: OfStudent

    @property
    def newest(self) -> HandedIn | None:
        """What is graded; None: nothing was handed in."""
        return self.of.attempts[0] if self.of.attempts else None


def planned(students: Sequence[OfStudent]) -> list[Planned]:
    """Every student with an id that names a folder on any system, in the order of these ids."""
    taken: dict[str, int] = {}
    for student in students:
        taken[_plain(student.id).casefold()] = taken.get(_plain(student.id).casefold(), 0) + 1
    found = []
    for student in students:
        plain = _plain(student.id)
        if plain != student.id or taken[plain.casefold()] > 1:  # names alone would not be unique any more
            mark = hashlib.sha256(student.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            plain = f"{plain}-{mark}" if plain else f"student-{mark}"
        found.append(Planned(plain, student))
    return sorted(found, key=lambda one: one.id)


def _plain(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST_ID].strip("-.")
    return f"id-{plain}" if _RESERVED.match(plain) else plain


def sentences(message: str, **arguments: object) -> dict[str, str]:
    """A message of ours by language; what stands in it is cleaned."""
    shown = {name: value if isinstance(value, int) else clean(value, _TEXT) for name, value in arguments.items()}
    return {language: messages.render(message, shown, language) for language in messages.LANGUAGES}


def entry_of(plan: Planned, state: State, *, has_roster: bool, max_score: int, **fields: object) -> Entry:
    """An entry with everything that is known without grading; ``fields`` are Entry's others."""
    attempts = [attempt_of(attempt) for attempt in plan.of.attempts]
    return Entry.model_validate(
        {
            "id": plan.id,
            "student": _student(plan.of, has_roster=has_roster),
            "attempt": attempts[0] if attempts else None,
            "other_attempts": attempts[1:],
            "state": state,
            "max_score": max_score,
            "notes": _notes(plan.of, has_roster=has_roster),
            **fields,
        }
    )


def graded_fields(result: Result) -> Mapping[str, object]:
    """What an entry says of a graded submission."""
    return {
        "digest": result.digest,
        "score": result.score,
        "checks": result.cells,
        "mistakes": list(result.mistakes),
        "seconds": round(result.seconds, 3),
    }


def attempt_of(attempt: HandedIn) -> Attempt:
    """One attempt for the summary."""
    when = attempt.named.timestamp
    shown = None if when is None else clean(when, _NAME)
    return Attempt(source=clean(attempt.path, _TEXT), timestamp=shown, late=attempt.named.late)


def _student(of: OfStudent, *, has_roster: bool) -> Student:
    named = of.attempts[0].named if of.attempts else None
    listed = of.student
    fields = {
        name: clean(getattr(listed, name, "") or getattr(named, name, ""), _NAME)
        for name in ("first_name", "last_name", "email", "section", "lms_id")
    }
    whole = listed.whole_name if listed is not None else ""
    guessed = f"{fields['first_name']} {fields['last_name']}".strip()
    return Student(
        id=clean(of.id, _NAME),
        name=clean(whole or (named.name if named else "") or guessed, _NAME),
        in_roster=listed is not None if has_roster else None,
        extra={clean(key, _NAME): clean(value, _NAME) for key, value in (listed.extra if listed else {}).items()},
        **fields,
    )


def _notes(of: OfStudent, *, has_roster: bool) -> list[dict[str, str]]:
    notes = []
    if has_roster and of.student is None:
        notes.append(sentences("batch.not-in-roster", id=of.id))
    if of.is_unclear:
        notes.append(sentences("batch.unclear-newest", path=of.attempts[0].path, count=len(of.attempts)))
    elif len(of.attempts) > 1:
        notes.append(sentences("batch.other-attempts", count=len(of.attempts) - 1))
    return notes
