"""The students' pages in one zip, under the prefix by which the learning platform knows each of them again.

Moodle ("Upload multiple feedback files") and Canvas ("Re-upload submissions") match by the name that they gave the
download: so each page bears that name, with ``report.html`` in place of the student's file.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from grader.exports.source import Run
from grader.report.summary import Entry

PAGE = "report.html"
_PREFIXES = {
    "canvas": re.compile(r"(?:^|/)((?:(?:LATE_)?anon_[0-9A-Za-z]+|\w+?(?:_LATE)?_\d+)_\d+_)[^/]+"),
    "moodle": re.compile(r"(?:^|/)([^/]+_\d+_assignsubmission_(?:file|onlinetext)_?/?)"),
    "blackboard": re.compile(r"(?:^|/)([^/]+_[^/_]+_attempt_\d{4}(?:-\d{2}){5})(?=_|\.|/|$)"),
}
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the same pages give the same zip


def name_of(entry: Entry, layout: str) -> str:
    """Where the entry's page stands in the zip."""
    pattern = _PREFIXES.get(layout)
    found = pattern.search(entry.attempt.source) if pattern and entry.attempt else None
    if found is None:
        return f"{entry.id}/{PAGE}"
    prefix = found[1]
    if layout == "moodle" and found.end() == len(entry.attempt.source if entry.attempt else ""):
        return f"{prefix.rstrip('/')}/{PAGE}"  # a folder
    if prefix.endswith("/"):
        return prefix + PAGE
    return prefix + PAGE if prefix.endswith("_") else f"{prefix}_{PAGE}"


def pages(run: Run) -> Iterator[tuple[str, bytes]]:
    """Name and content of every page. Raises OSError: one that the summary names is not there."""
    taken: set[str] = set()
    for entry in run.summary.submissions:
        if entry.page is None or entry.state != "graded":
            continue
        name = name_of(entry, run.summary.layout)
        name = name if name.casefold() not in taken else f"{entry.id}/{PAGE}"
        taken.add(name.casefold())
        yield name, run.path(entry.page).read_bytes()


def write(run: Run, file: BinaryIO) -> int:
    """Write the zip; returns how many pages it holds. Raises OSError, UsageError."""
    count = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pages(run):
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content, zipfile.ZIP_DEFLATED)
            count += 1
    return count
