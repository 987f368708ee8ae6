"""Read a submission from a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from grader.contract import PACKAGE
from grader.errors import SubmissionError, UsageError
from grader.intake.submission import SubmissionFiles, decode, require_package

MAX_FILES = 200
MAX_FILE_BYTES = 1 << 20
MAX_BYTES = 8 << 20
MAX_DEPTH = 6
_NOT_SUBMITTED = {"conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py"}


def find_above(start: Path) -> Path:
    """The nearest folder, from ``start`` upwards, that holds ``assignment1/``.

    Raises:
        UsageError: there is none.
    """
    for folder in (start, *start.parents):
        if folder.name == PACKAGE or (folder / PACKAGE).is_dir():
            return folder
    raise UsageError(f"no {PACKAGE}/ folder here or above; give the path of the submission")


def read(path: Path) -> SubmissionFiles:
    """Read the package and the helper modules beside it.

    ``path`` may be the folder that holds ``assignment1/``, that folder itself, or a wrapper with one such folder
    inside. Links are refused, not followed.

    Raises:
        UsageError: no such folder.
        SubmissionError: nothing to grade in it, a link, too many or too large files, or a wrong encoding.
    """
    try:
        exists = path.exists()
    except OSError as error:  # e.g. a name that is too long
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if not exists:
        raise UsageError(f"no such folder: {path}")
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder")
    root = _root(path.resolve())
    files: dict[str, str] = {}
    skipped: list[str] = []
    size = 0
    for file, name in _python_files(root):
        if not name.isprintable():
            raise SubmissionError(f"{name!a} is not a usable file name")
        if Path(name).name in _NOT_SUBMITTED:
            skipped.append(name)
            continue
        raw = _read_regular(file, name)
        files[name] = decode(raw, name)
        size += len(raw)
        if len(files) > MAX_FILES:
            raise SubmissionError(f"more than {MAX_FILES} Python files in {path}")
        if size > MAX_BYTES:
            raise SubmissionError(f"more than {MAX_BYTES >> 20} MiB of Python files in {path}")
    require_package(files, str(path))
    return SubmissionFiles(root.name, files, tuple(sorted(skipped)))


def _root(path: Path) -> Path:
    if (path / PACKAGE).is_dir():
        return path
    if path.name == PACKAGE:
        return path.parent
    inside = [entry for entry in _entries(path, path.name) if entry.is_dir() and (entry / PACKAGE).is_dir()]
    if len(inside) == 1:
        if inside[0].is_symlink():
            raise SubmissionError(f"{inside[0].name} is a link; links are not followed")
        return inside[0]
    if inside:
        names = ", ".join(entry.name for entry in inside)
        raise SubmissionError(f"several folders in {path} hold {PACKAGE}/ ({names}); give one of them")
    raise SubmissionError(f"no {PACKAGE}/ folder in {path}")


def _python_files(root: Path) -> Iterator[tuple[Path, str]]:
    """The ``.py`` files directly in the root and everywhere in the package, in a fixed order."""
    for entry in _entries(root, root.name):
        if entry.suffix == ".py":
            yield entry, entry.name
    yield from _package_files(root / PACKAGE, PACKAGE, MAX_DEPTH)


def _package_files(folder: Path, name: str, depth: int) -> Iterator[tuple[Path, str]]:
    if folder.is_symlink():
        raise SubmissionError(f"{name} is a link; links are not followed")
    if depth == 0:
        raise SubmissionError(f"{name} is nested more than {MAX_DEPTH} folders deep")
    for entry in _entries(folder, name):
        inner = f"{name}/{entry.name}"
        if entry.suffix == ".py":
            yield entry, inner
        elif entry.is_dir():
            yield from _package_files(entry, inner, depth - 1)


def _entries(folder: Path, name: str) -> list[Path]:
    """What is in a folder, in a fixed order; without hidden files (macOS leaves ``._x.py``) and compiled ones."""
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise SubmissionError(f"{name} cannot be read: {error.strerror}") from None
    return [entry for entry in found if not entry.name.startswith(".") and entry.name != "__pycache__"]


def _read_regular(path: Path, name: str) -> bytes:
    if path.is_symlink():
        raise SubmissionError(f"{name} is a link; links are not followed")
    # no-follow and non-blocking: neither a link nor a FIFO put there meanwhile can make us read elsewhere or wait
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise SubmissionError(f"{name} cannot be read: {error.strerror}") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionError(f"{name} is not a regular file")
        if status.st_size > MAX_FILE_BYTES:
            raise SubmissionError(f"{name} is larger than {MAX_FILE_BYTES >> 10} KiB")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(MAX_FILE_BYTES)
    finally:
        os.close(handle)
