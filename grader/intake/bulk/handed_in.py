"""Everything in INPUT by student: the newest attempt, the others, and what is nobody's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from grader.contract import MODULES, PACKAGE
from grader.errors import SubmissionError, UsageError
from grader.intake.bulk.attempts import read_parts
from grader.intake.bulk.layouts import FOLDER, MOODLE, Layout, Named, detect, unknown
from grader.intake.bulk.roster import Listed, Roster
from grader.intake.bulk.source import Place, Source
from grader.intake.rules import folded, shown
from grader.intake.submission import SubmissionFiles

MAX_DESCENTS = 2
"""Wrappers around the folders of all students."""


@dataclass(frozen=True)
class HandedIn:
    """One attempt.

    Attributes:
        places: of single files, by the student's name for each; empty for a folder.
    """

    named: Named
    folder: str | None = None
    places: dict[str, str] = field(default_factory=dict)
    modified: float = 0.0
    problem: str | None = None

    @property
    def path(self) -> str:
        """Where it lies in INPUT; of several files, the first."""
        return self.folder if self.folder is not None else next(iter(self.places.values()))

    def read(self, source: Source) -> SubmissionFiles:
        """Read it. Raises SubmissionError."""
        where = shown(self.path)
        if self.problem is not None:
            raise SubmissionError(self.problem)
        if self.folder is not None:
            return read_parts(source.folder(self.folder), where)
        return read_parts(source.files(self.places), where)


@dataclass(frozen=True)
class OfStudent:
    """What one student handed in.

    Attributes:
        student: in the roster; None: not in it, or no roster.
        attempts: newest first; empty: nothing was handed in.
        is_unclear: the newest two cannot be told apart by time.
    """

    student: Listed | None
    attempts: list[HandedIn]
    is_unclear: bool = False

    @property
    def id(self) -> str:
        """The roster's id, else what the layout knows."""
        return self.student.id if self.student is not None else self.attempts[0].named.key


@dataclass(frozen=True)
class Class:
    """INPUT, understood.

    Attributes:
        students: by id; those of the roster who handed in nothing are among them.
        skipped: paths that the layout does not know, and names that are none.
    """

    layout: Layout
    students: list[OfStudent]
    skipped: list[str]


def understand(source: Source, layout: Layout | None, roster: Roster | None) -> Class:
    """Find out who handed in what.

    Args:
        layout: None: recognise it by its names.

    Raises:
        UsageError: empty, one single submission, or names of no known layout.
    """
    places = _places(source, layout)
    if layout is None:
        layout = detect([(_last(place), place.is_folder) for place in places]) or Layout(FOLDER)
    attempts, skipped = _attempts(places, layout)
    if not attempts:
        raise unknown(source.name, [place.path for place in places], layout if layout.name != FOLDER else None)
    students = _by_student(attempts, roster)
    handed_in = {folded(one.id) for one in students}
    missing = [one for one in (roster.students if roster else []) if folded(one.id) not in handed_in]
    students += [OfStudent(one, []) for one in missing]
    return Class(layout, sorted(students, key=lambda one: (folded(one.id), one.id)), [*skipped, *source.unusable])


def _places(source: Source, layout: Layout | None) -> list[Place]:
    """What a layout names: for a regular expression everything, else one level. Raises UsageError."""
    if layout is not None and layout.looks_inside:
        return list(source.below())
    places = source.top()
    if not places:
        raise UsageError(f"{source.name} is empty: there is no submission in it")
    for _ in range(MAX_DESCENTS):
        names = {_last(place) for place in places}
        if PACKAGE in names or names & {f"{module}.py" for module in MODULES}:
            raise UsageError(f"{source.name} is one submission, not a class of them; `grader check` grades it")
        inner = _inside(source, places[0]) if len(places) == 1 and places[0].is_folder else []
        if not inner or not _is_wrapper(places[0], inner, layout):
            break
        places = inner
    return places


def _inside(source: Source, place: Place) -> list[Place]:
    prefix = f"{place.path}/"
    return [one for one in source.below() if one.path.startswith(prefix) and "/" not in one.path.removeprefix(prefix)]


def _is_wrapper(place: Place, inner: Sequence[Place], layout: Layout | None) -> bool:
    """Whether the only folder holds students, and is not itself the only student's."""
    if Layout(MOODLE).parse(_last(place), is_folder=True) is not None:
        return False
    known = layout or detect([(_last(one), one.is_folder) for one in inner]) or Layout(FOLDER)
    names = {_last(one) for one in inner}
    is_submission = PACKAGE in names or names & {f"{module}.py" for module in MODULES}
    return not is_submission and any(known.parse(_last(one), is_folder=one.is_folder) for one in inner)


def _attempts(places: Sequence[Place], layout: Layout) -> tuple[list[HandedIn], list[str]]:
    found: dict[object, HandedIn] = {}
    skipped: list[str] = []
    taken: list[str] = []
    for number, place in enumerate(places):
        if any(place.path.startswith(prefix) for prefix in taken[-1:]):
            continue  # in a folder that is a submission
        named = layout.parse(place.path if layout.looks_inside else _last(place), is_folder=place.is_folder)
        if named is None:
            if not (layout.looks_inside and place.is_folder):
                skipped.append(place.path)
            continue
        if place.is_folder:
            taken.append(f"{place.path}/")
        # one attempt may be several files, where the name says what the student called each
        is_part = not place.is_folder and layout.name != FOLDER and named.file != _last(place)
        key = (named.key, named.timestamp) if is_part or named.is_note else number
        found[key] = _joined(found.get(key), place, named)
    notes = {one.named.key for one in found.values() if not one.named.is_note}
    kept = [one for one in found.values() if not one.named.is_note or one.named.key not in notes]
    return kept, skipped


def _joined(known: HandedIn | None, place: Place, named: Named) -> HandedIn:
    if place.is_folder:
        return HandedIn(named, folder=place.path, modified=place.modified, problem=place.problem)
    name = named.file or _last(place)
    if known is None:
        return HandedIn(named, places={name: place.path}, modified=place.modified, problem=place.problem)
    if known.named.is_note and not named.is_note:  # the platform's text gives way to what the student made
        return HandedIn(named, places={name: place.path}, modified=place.modified, problem=place.problem)
    if named.is_note and not known.named.is_note:
        return known
    return replace(
        known,
        named=replace(known.named, late=known.named.late or named.late),
        places={**known.places, name: place.path},
        modified=max(known.modified, place.modified),
        problem=known.problem or place.problem,
    )


def _by_student(attempts: Sequence[HandedIn], roster: Roster | None) -> list[OfStudent]:
    groups: dict[str, list[HandedIn]] = {}
    listed: dict[str, Listed | None] = {}
    for attempt in attempts:
        student = roster.find(attempt.named) if roster else None
        key = folded(attempt.named.key if student is None else student.id)
        groups.setdefault(key, []).append(attempt)
        listed[key] = listed.get(key) or student
    return [_newest_first(listed[key], group) for key, group in groups.items()]


def _newest_first(student: Listed | None, group: list[HandedIn]) -> OfStudent:
    ordered = sorted(group, key=_when, reverse=True)
    return OfStudent(student, ordered, is_unclear=len(ordered) > 1 and _when(ordered[0])[:2] == _when(ordered[1])[:2])


def _when(attempt: HandedIn) -> tuple[str, float, str]:
    return attempt.named.timestamp or "", attempt.modified, attempt.path


def _last(place: Place) -> str:
    return place.path.rpartition("/")[2]
