"""Read a submission, whatever it is handed in as."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from grader.errors import SubmissionError, UsageError
from grader.intake import folder
from grader.intake.rules import MAX_FILE_BYTES, shown
from grader.intake.submission import SubmissionFiles

READABLE = "a folder, a .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz archive, a .py file or an .ipynb notebook"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and empty
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_OTHER_ARCHIVES = {b"Rar!\x1a\x07": "RAR", b"7z\xbc\xaf\x27\x1c": "7z", b"\x28\xb5\x2f\xfd": "Zstandard"}
HEAD = 512
"""Bytes that show what a file is."""


def read(path: Path) -> SubmissionFiles:
    """Read a folder, an archive, a single file or a notebook; what it is shows in its first bytes, not in its name.

    Raises:
        UsageError: there is nothing at ``path``, or a library for it is not installed.
        SubmissionError: it cannot be graded; the message says why.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise UsageError(f"no such file or folder: {path}") from None
    except (OSError, ValueError) as error:  # e.g. a name that is too long, or with a NUL
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from None
    if stat.S_ISDIR(status.st_mode):
        return folder.read(path)
    with _opened(path) as file:
        head = file.read(HEAD)
        file.seek(0)
        return of_file(file, head, path)


def of_file(file: BinaryIO, head: bytes, path: Path) -> SubmissionFiles:
    """Read what begins with ``head``; of ``path`` only the name counts. Raises SubmissionError.

    The readers are imported here: a folder needs none of them.
    """
    from grader.intake import notebook, single, tar_archive, zip_archive

    for magic, kind in _OTHER_ARCHIVES.items():
        if head.startswith(magic):
            raise SubmissionError(f"{shown(path.name)} is a {kind} archive, which cannot be read; hand in a .zip")
    if head.startswith(ZIP):
        return zip_archive.read(file, path)
    if head.startswith(_PACKED) or tar_archive.is_header(head):
        return tar_archive.read(file, path)
    suffix = path.suffix.casefold()
    if suffix == ".ipynb" or (suffix in (".py", ".json") and notebook.looks_like_one(head)):
        return notebook.read(file, path)
    if suffix == ".py":
        return single.read(file.read(MAX_FILE_BYTES + 1), path)
    raise SubmissionError(f"{shown(path.name)} is none of what can be read: {READABLE}")


def _opened(path: Path) -> BinaryIO:
    """The file, if it is a regular one: a device would not end, and a FIFO would wait for its writer."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise SubmissionError(f"{path} is neither a folder nor a regular file")
    return file
