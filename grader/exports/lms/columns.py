"""Which platform a file comes from, and which of its columns hold what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.errors import UsageError
from grader.exports.lms.delimited import Cell

_CANVAS_TITLE = re.compile(r".+ \(\d+\)")
_BLACKBOARD_TITLE = re.compile(r".+\|\s*\d+")
_BLACKBOARD_MOST = re.compile(r"\[[^\]]*?(\d+(?:[.,]\d+)?)[^\]]*\]\s*\|")
_PARTICIPANT = re.compile(r"\D*(\d+)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")

GRADE = ("grade", "成绩", "分数", "評分", "评分", "note", "calificación")
FEEDBACK = ("feedback comments", "反馈评论", "反馈意见", "評語回饋", "feedback to learner", "feedback", "反馈")
MOST = ("maximum grade", "最高分", "最高成绩", "满分")
USER = ("username", "用户名", "使用者名稱")


@dataclass(frozen=True)
class Columns:
    """Where things stand in a template.

    Attributes:
        platform: ``canvas``, ``moodle``, ``blackboard``, or ``other`` when the columns were named by the caller.
        keys: columns by which students are found, the surest first.
        grade: the one to be filled in.
        feedback: likewise; None: there is none.
        most: the points that the platform gives in that column; None when the file does not say.
    """

    platform: str
    keys: tuple[int, ...]
    grade: int
    feedback: int | None
    most: float | None


def find(
    rows: Sequence[Sequence[Cell]], *, grade: str | None, feedback: str | None, key: str | None, name: str
) -> Columns:
    """Look at header and rows.

    Args:
        grade, feedback, key: columns that the caller names.
        name: of the file, for messages.

    Raises:
        UsageError: no platform's file, or a column that is not there or not the only one; the sentence lists them.
    """
    head = [cell.value.strip() for cell in rows[0]]
    lower = [title.casefold() for title in head]
    chosen = {
        what: _named(head, title, name) for what, title in (("grade", grade), ("feedback", feedback), ("key", key))
    }
    for recognise in (_canvas, _blackboard, _moodle):
        found = recognise(head, lower, rows[1:], chosen, name)
        if found is not None:
            return found
    if chosen["grade"] is None or chosen["key"] is None:
        raise UsageError(
            f"{name} is no grade file of Canvas, Moodle or Blackboard that can be recognised; name its columns with"
            f" --column (grades) and --key-column (who it is). It has: {_listed(head)}"
        )
    return Columns("other", (chosen["key"],), chosen["grade"], chosen["feedback"], None)


def number(text: str) -> float | None:
    """A number with a point or a comma; None for anything else."""
    return float(text.strip().replace(",", ".")) if _NUMBER.fullmatch(text.strip()) else None


_Chosen = dict[str, "int | None"]


def _canvas(
    head: list[str], lower: list[str], rows: Sequence[Sequence[Cell]], chosen: _Chosen, name: str
) -> Columns | None:
    titled = [index for index, title in enumerate(head) if _CANVAS_TITLE.fullmatch(title)]
    if "id" not in lower or "section" not in lower:
        return None
    grade = _only(head, titled, chosen["grade"], name)
    keys = [lower.index(title) for title in ("id", "sis user id", "sis login id", "integration id") if title in lower]
    names = [lower.index(title) for title in ("student",) if title in lower]
    # the row of possible points has no id: its first cell is in the site's language
    unnamed = [row for row in rows if len(row) > max(grade, keys[0]) and not row[keys[0]].value.strip()]
    most = next((most for row in unnamed if (most := number(row[grade].value)) is not None), None)
    own = [chosen["key"]] if chosen["key"] is not None else [*keys, *names]
    return Columns("canvas", tuple(own), grade, chosen["feedback"], most)


def _blackboard(
    head: list[str], lower: list[str], rows: Sequence[Sequence[Cell]], chosen: _Chosen, name: str
) -> Columns | None:
    users = [lower.index(title) for title in USER if title in lower]
    titled = [index for index, title in enumerate(head) if _BLACKBOARD_TITLE.fullmatch(title)]
    if not users or not titled:
        return None
    grade = _only(head, titled, chosen["grade"], name)
    found = _BLACKBOARD_MOST.search(head[grade])
    key = chosen["key"] if chosen["key"] is not None else users[0]
    feedback = chosen["feedback"] if chosen["feedback"] is not None else _first(lower, FEEDBACK)
    return Columns("blackboard", (key,), grade, feedback, number(found[1]) if found else None)


def _moodle(
    head: list[str], lower: list[str], rows: Sequence[Sequence[Cell]], chosen: _Chosen, name: str
) -> Columns | None:
    """Its offline grading worksheet: the first column says ``Participant 123``, in whatever language."""
    values = [row[0].value.strip() for row in rows]
    participants = all(_PARTICIPANT.fullmatch(value) and not value.isdigit() for value in values)
    grade = chosen["grade"] if chosen["grade"] is not None else _first(lower, GRADE)
    if not participants or grade is None:
        return None
    key = chosen["key"] if chosen["key"] is not None else 0
    feedback = chosen["feedback"] if chosen["feedback"] is not None else _first(lower, FEEDBACK)
    most = _first(lower, MOST)
    said = {number(row[most].value) for row in rows if len(row) > most} if most is not None else set()
    return Columns("moodle", (key,), grade, feedback, said.pop() if len(said) == 1 else None)


def participant(text: str) -> str:
    """The number in ``Participant 123``; other texts as they are."""
    found = _PARTICIPANT.fullmatch(text.strip())
    return found[1] if found else text


def _first(lower: list[str], titles: tuple[str, ...]) -> int | None:
    return next((lower.index(title) for title in titles if title in lower), None)


def _only(head: list[str], found: list[int], chosen: int | None, name: str) -> int:
    if chosen is not None:
        return chosen
    if len(found) == 1:
        return found[0]
    which = _listed([head[index] for index in found]) if found else "none"
    raise UsageError(f"{name} has several columns of assignments, or none; name one with --column. It has: {which}")


def _named(head: list[str], title: str | None, name: str) -> int | None:
    if title is None:
        return None
    same = [index for index, one in enumerate(head) if one == title.strip()]
    if len(same) != 1:
        trouble = "no column" if not same else f"{len(same)} columns"
        raise UsageError(f"{name} has {trouble} {title!r}. It has: {_listed(head)}")
    return same[0]


def _listed(head: list[str]) -> str:
    shown = [repr(title[:60]) for title in head if title]
    return ", ".join(shown[:20]) + (f" and {len(shown) - 20} more" if len(shown) > 20 else "")
