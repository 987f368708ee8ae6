"""A course's list of students, and which of them a submission's name means."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import UsageError
from grader.intake.bulk.layouts import Named
from grader.intake.rules import shown

MAX_ROSTER_BYTES = 32 << 20
_COLUMNS = {
    "id": ("student_id", "studentid", "id", "sis_user_id", "student_number", "学号", "学工号"),
    "username": ("username", "user_name", "login", "login_id", "sis_login_id", "用户名", "账号"),
    "lms_id": ("lms_id", "canvas_id", "canvas_user_id", "moodle_id", "participant_id", "identifier"),
    "first_name": ("first_name", "firstname", "given_name", "名"),
    "last_name": ("last_name", "lastname", "surname", "family_name", "姓"),
    "name": ("name", "full_name", "fullname", "student", "student_name", "姓名"),
    "email": ("email", "e-mail", "email_address", "mail", "邮箱", "电子邮件"),
    "section": ("section", "group", "class", "班级"),
}


@dataclass(frozen=True)
class Listed:
    """One student of the roster.

    Attributes:
        extra: columns that have no meaning here.
    """

    id: str
    username: str = ""
    lms_id: str = ""
    first_name: str = ""
    last_name: str = ""
    name: str = ""
    email: str = ""
    section: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole_name(self) -> str:
        """The name as one."""
        return self.name or f"{self.first_name} {self.last_name}".strip()


class Roster:
    """The students by everything that a platform may name them by.

    Raises:
        UsageError: two students share an id.
    """

    def __init__(self, students: Iterable[Listed]) -> None:
        self.students = list(students)
        self._by: list[dict[str, list[Listed]]] = [{} for _ in range(5)]
        seen: dict[str, int] = {}
        for row, student in enumerate(self.students, 2):
            if _folded(student.id) in seen:
                first = seen[_folded(student.id)]
                raise UsageError(f"the roster has {shown(student.id)} twice: in rows {first} and {row}")
            seen[_folded(student.id)] = row
            keys = ([student.lms_id], [student.id], [student.username], [student.email], _names(student))
            for known, values in zip(self._by, keys, strict=True):
                for value in {_folded(value) for value in values if value}:
                    known.setdefault(value, []).append(student)

    def find(self, named: Named) -> Listed | None:
        """The student that a name means: by the platform's number, id, user name, e-mail, then whole name.

        None also for a whole name that two students have: a wrong student is worse than none.
        """
        by_lms, by_id, by_user, by_email, by_name = self._by
        tries = (
            (by_lms, named.lms_id),
            (by_id, named.key),
            (by_user, named.key),
            (by_email, named.email or named.key),
            (by_name, _joined(named.name or f"{named.first_name}{named.last_name}")),
            (by_name, _joined(named.key)),
        )
        for known, value in tries:
            found = known.get(_folded(value), []) if value else []
            if len(found) == 1:
                return found[0]
        return None


def read_roster(path: Path) -> Roster:
    """Read a CSV file with a header; UTF-8 or GBK, with commas, semicolons or tabs.

    Raises:
        UsageError: it cannot be read, has no column with ids, or holds an id twice or none in a row.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_ROSTER_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read the roster {path}: {error.strerror}") from None
    if len(raw) > MAX_ROSTER_BYTES:
        raise UsageError(f"the roster {path} is larger than {MAX_ROSTER_BYTES >> 20} MiB")
    text = _text(raw, path)
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"the roster {path} is no CSV file: {error}") from None
    columns = [name.strip() for name in rows[0]] if rows else []
    meanings = {meaning: at for meaning in _COLUMNS if (at := _column(columns, meaning)) is not None}
    if "id" not in meanings:
        found = ", ".join(shown(name) for name in columns if name) or "none"
        raise UsageError(f"the roster {path} has no column student_id (or 学号); its columns are: {found}")
    return Roster(_listed(row, number, columns, meanings, path) for number, row in enumerate(rows[1:], 2) if any(row))


def _text(raw: bytes, path: Path) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UsageError(f"the roster {path} is neither UTF-8 nor GBK text")


def _column(columns: list[str], meaning: str) -> int | None:
    plain = [re.sub(r"[\s]+", "_", name.casefold()) for name in columns]
    return next((plain.index(name) for name in _COLUMNS[meaning] if name in plain), None)


def _listed(row: list[str], number: int, columns: list[str], meanings: Mapping[str, int], path: Path) -> Listed:
    cells = [*(cell.strip() for cell in row), *("" for _ in range(len(columns) - len(row)))]
    known = {meaning: cells[at] for meaning, at in meanings.items()}
    if not known["id"]:
        raise UsageError(f"the roster {path} has no student_id in row {number}")
    known["lms_id"] = known.get("lms_id", "").removeprefix("Participant ")  # as Moodle writes it
    extra = {name: cells[at] for at, name in enumerate(columns) if name and at not in meanings.values()}
    return Listed(**known, extra=extra)


def _names(student: Listed) -> list[str]:
    """The forms in which a platform may write the name: with the family name first or last, or one of both."""
    first, last = student.first_name, student.last_name
    turned = " ".join(reversed([part.strip() for part in student.name.split(",")]))
    forms = [
        student.name,
        turned,
        f"{first}{last}" if first and last else "",
        f"{last}{first}" if first and last else "",
    ]
    return [_joined(form) for form in forms if form]


def _joined(name: str) -> str:
    """Letters and digits only: Canvas drops everything else."""
    return re.sub(r"[\W_]", "", name)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
