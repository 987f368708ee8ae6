"""A folder that can be opened, moved or zipped as a whole: ``index.html`` and the students' pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from grader.errors import UsageError
from grader.report import files
from grader.report.site.render import to_html
from grader.report.summary import Entry, Summary

INDEX, STUDENTS = "index.html", "students"


def write(summary: Summary, page_of: Callable[[Entry], Path | None], out: Path, *, language: str) -> list[str]:
    """Write the folder.

    Args:
        page_of: the file with a student's page; None: there is none.
        out: made if need be; pages of an earlier report are written over.

    Returns:
        Ids whose page is named by the summary and is not there: they get no link.

    Raises:
        UsageError: ``out`` holds something else.
        OSError: it cannot be written.
    """
    _require_own(out)
    (out / STUDENTS).mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    missing: list[str] = []
    for entry in summary.submissions:
        source = page_of(entry)
        if source is None:
            continue
        try:
            with source.open("rb") as page, files.replacing(out / STUDENTS / f"{entry.id}.html") as copy:
                shutil.copyfileobj(page, copy)
        except FileNotFoundError:
            missing.append(entry.id)
            continue
        pages[entry.id] = f"{STUDENTS}/{entry.id}.html"
    files.write(to_html(summary, pages, language=language), out / INDEX)
    return missing


def _require_own(out: Path) -> None:
    """An empty folder or an earlier report's. Raises UsageError."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is not a folder")
    others = [path.name for path in out.iterdir() if path.name not in (INDEX, STUDENTS)]
    if others:
        raise UsageError(f"{out} holds something else ({', '.join(sorted(others)[:3])}); give another folder")
