"""What JPlag and Dolos compare: the sources of a class without comments, docstrings and layout, and the template's.

Right solutions of this assignment are short and look alike: a person has to judge, and no number comes from here.

* ``submissions/ID/*.py`` and ``base/*.py`` for JPlag, which takes a folder a student;
* ``files/ID.py`` and ``base.py`` for Dolos, which takes a file a student.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader import template
from grader.contract import PACKAGE
from grader.errors import SubmissionError, UsageError
from grader.exports.source import Run
from grader.intake.bulk.handed_in import HandedIn, understand
from grader.intake.bulk.layouts import LAYOUTS, Layout, Named
from grader.intake.bulk.source import Source
from grader.intake.bulk.zip_source import open_source
from grader.intake.submission import SubmissionFiles
from grader.report import files
from grader.report.summary import Attempt, Entry

_README = """Compare (nothing here judges; a person does):

  java -jar jplag.jar --language python3 --base-code base --result-file result submissions
  dolos run --language python --ignore base.py files/*.py

submissions/ and base/ hold one folder a student, files/ and base.py the same as one file a student.
Comments, docstrings and layout are gone; a file that Python cannot parse is as it was handed in.
"""


@dataclass
class Written:
    """What was written, and what could not be.

    Attributes:
        changed: ids whose sources are not those that were graded.
        unreadable: ids of graded submissions that cannot be found or read any more.
    """

    count: int = 0
    changed: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def write(run: Run, submissions: Path, out: Path) -> Written:
    """Write the tree.

    Args:
        submissions: what was graded, a folder or a zip.
        out: a new or empty folder.

    Raises:
        UsageError: ``out`` holds something, or ``submissions`` cannot be read.
        OSError: ``out`` cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not an empty folder; similarity tools would compare what is there as well")
    base = {name: text.decode("utf-8") for name, text in template.files().items() if name.endswith(".py")}
    _write_one(out / "base", out / "base.py", base)
    written = Written()
    source = open_source(submissions)
    attempts = _attempts(source, run.summary.layout)
    for entry in run.summary.in_state("graded"):
        sources = _sources(source, attempts, entry)
        if sources is None:
            written.unreadable.append(entry.id)
            continue
        if sources.digest != entry.digest:
            written.changed.append(entry.id)
        _write_one(out / "submissions" / entry.id, out / "files" / f"{entry.id}.py", sources.files)
        written.count += 1
    files.write(_README, out / "README.txt")
    return written


def normalised(text: str) -> str:
    """A module without comments, docstrings and layout; as it is when Python cannot parse it."""
    try:
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # as a hostile source may make the parser raise
        return text


def _attempts(source: Source, layout: str) -> dict[str, HandedIn]:
    """Every attempt by its path; of a layout by regular expression none, whose pattern no run keeps."""
    if layout not in LAYOUTS:
        return {}
    understood = understand(source, Layout(layout), None)
    return {attempt.path: attempt for one in understood.students for attempt in one.attempts}


def _sources(source: Source, attempts: Mapping[str, HandedIn], entry: Entry) -> SubmissionFiles | None:
    if entry.attempt is None:
        return None
    try:
        found = attempts.get(entry.attempt.source) or _plain(source, entry.attempt)
        return found.read(source)
    except (SubmissionError, UsageError):
        return None


def _plain(source: Source, attempt: Attempt) -> HandedIn:
    """The attempt from its path alone: a folder, or one file."""
    is_folder = any(place.is_folder for place in source.below() if place.path == attempt.source)
    if is_folder:
        return HandedIn(Named(attempt.source), folder=attempt.source)
    return HandedIn(Named(attempt.source), places={attempt.source.rpartition("/")[2]: attempt.source})


def _write_one(folder: Path, file: Path, sources: Mapping[str, str]) -> None:
    """The package's modules: each by itself, and all in one file."""
    modules = dict(_modules(sources))
    folder.mkdir(parents=True, exist_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    for name, text in modules.items():
        (folder / name).write_text(text, "utf-8", "replace", newline="\n")
    file.write_text("\n".join(modules.values()), "utf-8", "replace", newline="\n")


def _modules(sources: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names without folders, unique whatever the case of letters."""
    taken: set[str] = set()
    for path in sorted(sources):
        name = path.removeprefix(f"{PACKAGE}/").replace("/", "__")
        if path.endswith(".py") and name.casefold() not in taken:
            taken.add(name.casefold())
            yield name, normalised(sources[path])


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
