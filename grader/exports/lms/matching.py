"""Whose row it is: by the platform's own keys, then by a name that only one row and one submission have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from grader.exports.lms.columns import Columns, participant
from grader.exports.lms.delimited import Cell
from grader.report.summary import Entry


def entries_of_rows(rows: Sequence[Sequence[Cell]], columns: Columns, entries: Sequence[Entry]) -> dict[int, Entry]:
    """The submission of each row that has one, by the row's index. No two rows share one, and no row has two."""
    by_key, by_name = _unique(entries, _keys), _unique(entries, _names)
    found: dict[int, Entry] = {}
    for index, row in enumerate(rows):
        values = [row[key].value.strip() for key in columns.keys if key < len(row)]
        if columns.platform == "moodle":
            values = [participant(value) for value in values]
        hits = [by_key[folded] for value in values if (folded := value.casefold()) in by_key]
        hits = hits or [by_name[name] for value in values if (name := _name(value)) in by_name]
        if hits:
            found[index] = hits[0]
    shared = Counter(entry.id for entry in found.values())
    return {index: entry for index, entry in found.items() if shared[entry.id] == 1}


def _unique(entries: Sequence[Entry], texts_of: Callable[[Entry], list[str]]) -> dict[str, Entry]:
    """Entries by the texts that belong to one alone."""
    owners: dict[str, list[Entry]] = {}
    for entry in entries:
        for text in {text for text in texts_of(entry) if text}:
            owners.setdefault(text, []).append(entry)
    return {text: found[0] for text, found in owners.items() if len(found) == 1}


def _keys(entry: Entry) -> list[str]:
    student = entry.student
    return [text.strip().casefold() for text in (student.lms_id, student.id, student.email)]


def _names(entry: Entry) -> list[str]:
    student = entry.student
    return [_name(student.name), _name(f"{student.first_name} {student.last_name}")]


def _name(text: str) -> str:
    """A name for comparison; ``Last, First`` as ``first last``."""
    last, comma, first = text.partition(",")
    return re.sub(r"\s+", " ", f"{first} {last}" if comma else text).strip().casefold()
