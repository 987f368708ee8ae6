"""A run's folder: one folder a submission, ``summary.json`` and ``grades.csv``; memory does not grow with the class."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from grader.report import files
from grader.report.summary import SUMMARY_FILE, Entry, Summary

REPORTS = "reports"
GRADES_FILE = "grades.csv"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_COLUMNS = (
    *("id", "student_id", "last_name", "first_name", "name", "email", "section"),
    *("score", "max_score", "state", "late", "timestamp", "other_attempts", "mistakes", "note"),
)


def write_report(folder: Path, id: str, report: str, page: str | None) -> tuple[str, str | None]:
    """Write report.json and the page; their paths from the run's folder. Raises OSError."""
    place = folder / REPORTS / id
    place.mkdir(parents=True, exist_ok=True)
    if page is not None:
        files.write(page, place / "report.html")
    files.write(report, place / "report.json")
    return f"{REPORTS}/{id}/report.json", None if page is None else f"{REPORTS}/{id}/report.html"


def write_summary(folder: Path, head: Summary, entries: Iterable[str]) -> None:
    """Write summary.json, entry by entry, atomically. Raises OSError.

    Args:
        head: everything but the submissions.
        entries: each as JSON.
    """
    before, after = _around(head)

    def write(file: TextIO) -> None:
        file.write(before)
        for number, entry in enumerate(entries):
            file.write(("," if number else "") + "\n" + entry)
        file.write(after + "\n")

    files.write_with(write, folder / SUMMARY_FILE)


def _around(head: Summary) -> tuple[str, str]:
    text = head.model_copy(update={"submissions": []}).model_dump_json(indent=1)
    before, found, after = text.partition('"submissions": []')
    if not found:
        raise ValueError("a summary without its list of submissions")
    return before + '"submissions": [', "]" + after


def write_grades(folder: Path, entries: Iterable[Entry], checks: list[str], language: str) -> None:
    """Write grades.csv for people and spreadsheets: UTF-8 with a mark, no cell that is a formula. Raises OSError."""

    def write(file: TextIO) -> None:
        writer = csv.writer(file)
        writer.writerow([*_COLUMNS, *checks])
        for entry in entries:
            writer.writerow([safe_cell(cell) for cell in _row(entry, checks, language)])

    files.write_with(write, folder / GRADES_FILE, encoding="utf-8-sig", newline="")


def safe_cell(value: object) -> object:
    """The value, or text that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    flat = value.replace("\n", " ").replace("\r", " ")
    return f"'{flat}" if flat.lstrip(" ").startswith(_FORMULA) else flat


def _row(entry: Entry, checks: list[str], language: str) -> Iterator[object]:
    student, attempt = entry.student, entry.attempt
    reasons = [entry.reason] if entry.reason else []
    yield from (entry.id, student.id, student.last_name, student.first_name, student.name, student.email)
    yield from (student.section, entry.score, entry.max_score, entry.state)
    yield "yes" if attempt is not None and attempt.late else ""
    yield attempt.timestamp if attempt is not None else ""
    yield len(entry.other_attempts)
    yield " ".join(entry.mistakes)
    yield " ".join(text[language] for text in [*reasons, *entry.notes])
    points = {cell.id: cell.points for cell in entry.checks}
    yield from (points.get(check, "") for check in checks)
