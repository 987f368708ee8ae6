"""Read a submission from a notebook: what its cells define, and the files that they write."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, BinaryIO

from grader.contract import PACKAGE
from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.cells import Cell, UnreadableCell, parse, require_text, select
from grader.intake.single import module_place, own_module, shims
from grader.intake.submission import Note, SubmissionFiles

_MAX_NOTEBOOK = 8 << 20
_MAX_CELLS = 2000
_MAX_CODE = 128 << 10
_MAX_VALUES = 500_000  # three bytes of JSON can become an object of 64: what they cost is bounded by their number
_FIRST_KEY = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(cells|metadata|nbformat|nbformat_minor|worksheets)"\s*:')
_WRITE = re.compile(r"\n*%%(?:writefile|file)[ \t]+(?P<options>(?:-\w+[ \t]+|--append[ \t]+)*)(?P<path>[^\n]+)(?:\n|$)")
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, NameError, ArithmeticError, RecursionError)
"""What nbformat raises for a notebook that is not well-formed: its readers and converters take the form for granted."""

_RUN = """\
# Written by the grader: runs the notebook's cells in their order, in this one namespace.
import __future__ as _future
import linecache as _linecache


def _run(cells):
    flags = 0
    for cell in cells:
        path, text = f"{folder}/{{cell}}.py", __loader__.get_source(f"{module}.{{cell}}")
        _linecache.cache[path] = len(text), None, text.splitlines(True), path  # for tracebacks
        code = compile(text, path, "exec", flags, True)
        flags |= code.co_flags & _future.annotations.compiler_flag  # holds for later cells, as in a notebook
        exec(code, globals())


_run({cells})
"""


def looks_like_one(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a notebook, whatever its name."""
    return _FIRST_KEY.match(head) is not None


def read(file: BinaryIO, path: Path) -> SubmissionFiles:
    """Make a submission of a notebook.

    Each cell of which something is kept becomes ``assignment1/NAME/cell_3.py`` (the third code cell) with its lines
    where they are in the notebook; ``%%writefile`` cells become the files that they write; the remaining modules of the
    contract hand out what the cells define.

    Raises:
        UsageError: nbformat is not installed.
        SubmissionError: no notebook, too large, or nothing in it that the assignment asks for.
    """
    raw = file.read(_MAX_NOTEBOOK + 1)
    label = rules.shown(path.name)
    if len(raw) > _MAX_NOTEBOOK:
        raise SubmissionError(f"{label} is larger than {_MAX_NOTEBOOK >> 20} MiB; clear its outputs")
    if sum(map(raw.count, (b"[", b"{", b","))) > _MAX_VALUES:
        raise SubmissionError(f"{label} holds more than {_MAX_VALUES} values; clear its outputs")
    sources = _code_cells(raw, label)
    if len(sources) > _MAX_CELLS or sum(map(len, sources)) > _MAX_CODE:
        raise SubmissionError(f"{label} has more than {_MAX_CELLS} code cells or {_MAX_CODE >> 10} KiB of code")
    files: dict[str, str] = {}
    skipped: list[str] = []
    cells: list[Cell] = []
    notes: list[Note] = []
    for number, source in enumerate(sources, 1):
        writes = _WRITE.match(source)
        try:
            require_text(source)
            if writes:
                _write(writes, source[writes.end() :], files, skipped)
            else:
                cells.append(parse(number, source))
        except UnreadableCell as error:
            notes.append(Note.of("intake.cell", cell=number, line=error.line, detail=error.detail))
    texts = select(cells)
    if texts:
        own = own_module(path.stem, "notebook")
        if f"{PACKAGE}/{own}.py" in files:  # a cell wrote a file of the notebook's name
            own = "notebook_cells"
        files |= _cells_as_module(texts, own)
        files |= shims(own, files)
    if not any(name.startswith(f"{PACKAGE}/") for name in files):
        broken = f"; its cell {notes[0].arguments['cell']} is not valid Python" if notes else ""
        raise SubmissionError(f"{label} defines nothing that the assignment asks for{broken}")
    if len(files) > rules.MAX_FILES:
        raise SubmissionError(f"{label} makes more than {rules.MAX_FILES} Python files")
    return SubmissionFiles(path.name, files, tuple(skipped), tuple(notes))


def _code_cells(raw: bytes, label: str) -> list[str]:
    """The texts of the code cells, from a notebook of any version."""
    try:
        import nbformat
    except ModuleNotFoundError:
        raise UsageError(
            f'{label} is a notebook; reading one takes nbformat: pip install "assignment1-grader[notebook]"'
        ) from None
    try:
        text = raw.decode("utf-8-sig")
        stored = nbformat.reader.reads(text, object_pairs_hook=_without_outputs)  # type: ignore[no-untyped-call]  # nbformat
        cells = nbformat.convert(stored, 4).cells  # type: ignore[no-untyped-call]  # nbformat
        texts = [cell.source for cell in cells if cell.cell_type == "code"]
    except (*_MALFORMED, nbformat.ValidationError):
        raise SubmissionError(f"{label} is no readable notebook") from None
    if not all(isinstance(text, str) for text in texts):
        raise SubmissionError(f"{label} is no readable notebook")
    return [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]


def _without_outputs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Pictures and tables are most of a notebook's size and no part of the submission."""
    empty: dict[str, Any] = {"outputs": [], "metadata": {}, "attachments": {}}
    return {key: empty.get(key, value) for key, value in pairs}


def _write(command: re.Match[str], text: str, files: dict[str, str], skipped: list[str]) -> None:
    """Do what ``%%writefile PATH`` does, in memory."""
    place = _place(command["path"])
    if place is None:
        skipped.append(f"%%writefile {command['path'].strip()}")
        return
    before = files.get(place, "") if "-a" in command["options"] else ""
    files[place] = before + text.rstrip("\n") + "\n"


def _place(given: str) -> str | None:
    """Where a written file belongs; None for what is no module of the submission."""
    try:
        words = shlex.split(given.replace("\\", "/"))
    except ValueError:
        return None
    parts = words[0].split("/") if len(words) == 1 else [""]
    if PACKAGE in parts:
        parts = parts[len(parts) - 1 - parts[::-1].index(PACKAGE) :]
    else:
        parts = [module_place(parts[-1]) or parts[-1]]
    place = "/".join(parts)
    is_usable = rules.is_plain(place) and not any(part in ("", "..") or rules.is_ignored(part) for part in parts)
    return place if is_usable and rules.is_source(parts[-1].rpartition("/")[2]) else None


def _cells_as_module(texts: dict[int, str], own: str) -> dict[str, str]:
    cells = tuple(f"cell_{number}" for number in texts)
    run = _RUN.format(folder=f"{PACKAGE}/{own}", module=f"{PACKAGE}.{own}", cells=cells)
    files = {f"{PACKAGE}/{own}/cell_{number}.py": text for number, text in texts.items()}
    return {f"{PACKAGE}/{own}/__init__.py": run, **files}
