"""From what one student handed in to a submission: an archive, single files, a notebook, or a folder of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.contract import MODULES, PACKAGE
from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.bulk.source import Parts
from grader.intake.bulk.zip_source import ZipParts
from grader.intake.collect import collect
from grader.intake.read import HEAD, READABLE, ZIP, of_file
from grader.intake.source import decode_all
from grader.intake.submission import NoPackage, SubmissionFiles
from grader.intake.tree import Kind, join

MAX_NESTING = 3
"""Archives inside each other, the platform's own not counted."""

_AGAIN = re.compile(r"(?P<stem>.+?)(?:-\d+| ?\(\d+\))")  # Canvas and browsers number a name that was there before
_HANDED_IN = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".7z", ".rar", ".py", ".ipynb")


def read_parts(parts: Parts, where: str, *, depth: int = 0) -> SubmissionFiles:
    """Read a submission: a package, loose modules, or the one file that holds it.

    Raises:
        SubmissionError: nothing that can be graded, or more than one thing; or as the readers of each form.
    """
    try:
        return collect(parts, where)
    except NoPackage as missing:
        reason = missing
    folder = _innermost(parts)
    names = [
        entry.name for entry in parts.entries(folder) if entry.kind is Kind.FILE and not rules.is_ignored(entry.name)
    ]
    sources = {_own_name(name): name for name in names if rules.is_source(name)}
    if any(Path(name).stem in MODULES for name in sources) and len(sources) > 1:
        return _loose(parts, folder, sources, where)
    found = [name for name in names if name.casefold().endswith(_HANDED_IN)]
    if len(found) > 1:
        listed = ", ".join(rules.shown(name) for name in found[:4])
        raise SubmissionError(f"{where} holds several files that could be the submission: {listed}")
    if not found:
        raise SubmissionError(f"{reason}; what can be read is {READABLE}")
    with parts.file_at(join(folder, found[0])) as file:
        return _of_file(file, _own_name(found[0]), depth)


def _of_file(file: BinaryIO, name: str, depth: int) -> SubmissionFiles:
    head = file.read(HEAD)
    file.seek(0)
    if not head.startswith(ZIP):
        return of_file(file, head, Path(name))
    if depth >= MAX_NESTING:
        raise SubmissionError(f"{rules.shown(name)} is an archive in {depth} others; hand in one archive")
    return read_parts(ZipParts.of(file, name), rules.shown(name), depth=depth + 1)


def _innermost(parts: Parts) -> str:
    """The folder in which something lies, down from wrappers that hold one folder and nothing else."""
    folder = ""
    for _ in range(rules.MAX_WRAPPERS):
        entries = [entry for entry in parts.entries(folder) if not rules.is_ignored(entry.name)]
        if len(entries) != 1 or entries[0].kind is not Kind.FOLDER:
            break
        folder = join(folder, entries[0].name)
    return folder


def _own_name(name: str) -> str:
    """A module's name without the number that was put behind it: ``rope-1.py`` is ``rope.py``."""
    stem, dot, suffix = name.rpartition(".")
    found = _AGAIN.fullmatch(stem)
    return f"{found['stem']}{dot}{suffix}" if found and found["stem"] in MODULES and suffix == "py" else name


def _loose(parts: Parts, folder: str, sources: dict[str, str], where: str) -> SubmissionFiles:
    """Modules that lie beside each other without their package."""
    if len(sources) > rules.MAX_FILES:
        raise SubmissionError(f"more than {rules.MAX_FILES} Python files in {where}")
    raw = dict(_read(parts, folder, sources))
    if sum(map(len, raw.values())) > rules.MAX_BYTES:
        raise SubmissionError(f"more than {rules.MAX_BYTES >> 20} MiB of Python files in {where}")
    files, notes = decode_all(raw)
    return SubmissionFiles(parts.name, files, notes=notes)


def _read(parts: Parts, folder: str, sources: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    for own, name in sources.items():
        rules.require_usable(own)
        for _, raw in parts.read([join(folder, name)]):
            yield f"{PACKAGE}/{own}", raw
