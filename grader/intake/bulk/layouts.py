"""How learning platforms name what students handed in: from a name to a student, a time, and the student's own name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.errors import UsageError
from grader.intake.rules import shown

CANVAS, MOODLE, BLACKBOARD, FOLDER, REGEX = "canvas", "moodle", "blackboard", "folder", "regex"
LAYOUTS = (CANVAS, MOODLE, BLACKBOARD, FOLDER)
EXAMPLES = {
    CANVAS: "zhangsan_LATE_1001_55_hw.zip",
    MOODLE: "Zhang San_1001_assignsubmission_file/",
    BLACKBOARD: "Homework 1_zhangsan_attempt_2026-11-01-23-59-00_hw.zip",
    FOLDER: "1001/, 1001.zip, 1001.py or 1001.ipynb, one a student",
}
GROUPS = ("student_id", "first_name", "last_name", "email", "timestamp", "file")

_CANVAS = re.compile(
    r"(?:(?:(?P<late1>LATE)_)?anon_(?P<anon>[0-9A-Za-z]+)|(?P<name>\w+?)(?:_(?P<late>LATE))?_(?P<user>\d+))"
    r"_(?P<attachment>\d+)_(?P<file>.+)"
)
_MOODLE = re.compile(
    r"(?P<name>.+)_(?P<participant>\d+)_assignsubmission_(?P<plugin>file|onlinetext)(?:_(?P<file>.+)?)?"
)
_BLACKBOARD = re.compile(
    r"(?P<assignment>.+)_(?P<user>[^_]+)_attempt_(?P<ts>\d{4}(?:-\d{2}){5})(?:_(?P<file>.+)|(?P<txt>\.txt))"
)
_TEXTS = ("_text.html", "_link.html")


@dataclass(frozen=True)
class Named:
    """What a name says.

    Attributes:
        key: the same for all that one student handed in.
        lms_id: the platform's number or user name.
        timestamp: ISO 8601, or as the name has it; names with a later one are newer.
        file: what the student called it; empty for a folder.
        is_note: the platform's own text beside the submission, which is not graded.
    """

    key: str
    lms_id: str = ""
    name: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    timestamp: str | None = None
    late: bool = False
    file: str = ""
    is_note: bool = False


class Layout:
    """Reads names.

    Args:
        name: of LAYOUTS, or ``regex``.
        pattern: for ``regex``: matches a whole path in INPUT, with ``student_id`` and others of GROUPS by name.

    Raises:
        UsageError: the pattern is no regular expression, or lacks ``student_id``, or has a group of another name.
    """

    def __init__(self, name: str, pattern: str | None = None) -> None:
        self.name = name
        self._pattern = None if pattern is None else _compiled(pattern)

    @property
    def looks_inside(self) -> bool:
        """Whether paths below the top are looked at too."""
        return self._pattern is not None

    def parse(self, name: str, *, is_folder: bool) -> Named | None:
        """What the name says; None when it is not of this layout."""
        if self._pattern is not None:
            return _by_pattern(self._pattern, name)
        return {CANVAS: _canvas, MOODLE: _moodle, BLACKBOARD: _blackboard, FOLDER: _child}[self.name](name, is_folder)

    def expected(self) -> str:
        """What a name should look like, for a sentence."""
        if self._pattern is not None:
            return f"paths that {self._pattern.pattern!r} matches from the first to the last character"
        return f"names such as {EXAMPLES[self.name]}"


def detect(names: Sequence[tuple[str, bool]]) -> Layout | None:
    """The platform's layout that most of the names (and whether each is a folder) have; None: no platform's."""
    counts = {
        layout: sum(Layout(layout).parse(name, is_folder=is_folder) is not None for name, is_folder in names)
        for layout in (MOODLE, BLACKBOARD, CANVAS)  # Canvas last: its form is the loosest
    }
    best = max(counts, key=lambda layout: counts[layout])
    return Layout(best) if counts[best] * 2 > len(names) else None


def unknown(where: str, names: Sequence[str], wanted: Layout | None = None) -> UsageError:
    """The error for names that no layout, or not the wanted one, has."""
    seen = ", ".join(shown(name) for name in names[:3]) or "nothing"
    if wanted is not None:
        return UsageError(
            f"nothing in {where} fits the layout {wanted.name}: expected {wanted.expected()}; found {seen}"
        )
    forms = "; ".join(f"{layout}: {example}" for layout, example in EXAMPLES.items())
    return UsageError(
        f"{where} has no layout that is known (found {seen}). Expected one of: {forms}."
        " Or say how to read the names: --regex '(?P<student_id>[0-9]+)-.*'"
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--regex is no regular expression: {error}") from None
    if "student_id" not in compiled.groupindex:
        raise UsageError("--regex needs a group of the name student_id, for example '(?P<student_id>[0-9]+)-.*'")
    for group in compiled.groupindex:
        if group not in GROUPS:
            raise UsageError(f"--regex has the group {group!r}; known are {', '.join(GROUPS)}")
    return compiled


def _by_pattern(pattern: re.Pattern[str], path: str) -> Named | None:
    found = pattern.fullmatch(path)
    if found is None or not found["student_id"]:
        return None
    fields: Mapping[str, str] = {name: value for name, value in found.groupdict().items() if value}
    return Named(
        key=fields["student_id"],
        first_name=fields.get("first_name", ""),
        last_name=fields.get("last_name", ""),
        email=fields.get("email", ""),
        timestamp=fields.get("timestamp"),
        file=fields.get("file", path.rpartition("/")[2]),
    )


def _canvas(name: str, is_folder: bool) -> Named | None:
    found = None if is_folder else _CANVAS.fullmatch(name)
    if found is None:
        return None
    user = found["user"] or found["anon"]
    is_late = bool(found["late"] or found["late1"])
    is_note = name.endswith(_TEXTS)
    return Named(user, lms_id=user, name=found["name"] or "", late=is_late, file=found["file"], is_note=is_note)


def _moodle(name: str, is_folder: bool) -> Named | None:
    found = _MOODLE.fullmatch(name)
    if found is None or bool(found["file"]) == is_folder:
        return None
    is_note = found["plugin"] == "onlinetext"
    shown_name = "" if found["name"] == "Participant" else found["name"]
    return Named(found["participant"], found["participant"], shown_name, file=found["file"] or "", is_note=is_note)


def _blackboard(name: str, is_folder: bool) -> Named | None:
    found = None if is_folder else _BLACKBOARD.fullmatch(name)
    if found is None:
        return None
    year, month, day, *clock = found["ts"].split("-")
    when = f"{year}-{month}-{day}T{':'.join(clock)}"
    return Named(found["user"], found["user"], timestamp=when, file=found["file"] or "", is_note=bool(found["txt"]))


def _child(name: str, is_folder: bool) -> Named | None:
    if is_folder:
        return Named(name)
    lowered = name.casefold()
    for suffix in (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".txz", ".tar", ".zip", ".py", ".ipynb"):
        if lowered.endswith(suffix) and len(name) > len(suffix):
            return Named(name[: -len(suffix)], file=name)
    return None
