"""A submission: source texts by relative path."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.contract import PACKAGE
from grader.errors import SubmissionError


class NoPackage(SubmissionError):
    """There is no ``assignment1`` folder, so that it may be another form of submission."""


@dataclass(frozen=True)
class Note:
    """Something about how the submission was read that its author should know.

    Attributes:
        message: id in the feedback catalogue.
        arguments: what its placeholders stand for.
    """

    message: str
    arguments: Mapping[str, str | int]

    @classmethod
    def of(cls, message: str, **arguments: str | int) -> Note:
        """A note with what its message shows."""
        return cls(message, arguments)


@dataclass(frozen=True)
class SubmissionFiles:
    """The sources that the worker gets.

    Attributes:
        name: for people: the folder's name, or the file's.
        files: text by relative path with forward slashes; the package is ``assignment1/``.
        skipped: what was found and not read, for the report; a folder ends with a slash.
        notes: for the report and the terminal.
    """

    name: str
    files: Mapping[str, str]
    skipped: tuple[str, ...] = field(default=())
    notes: tuple[Note, ...] = field(default=())

    @property
    def digest(self) -> str:
        """SHA-256 over paths and texts."""
        digest = hashlib.sha256()
        for path in sorted(self.files):
            for text in (path, self.files[path]):
                digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()


def require_package(files: Mapping[str, str], where: str) -> None:
    """Raise SubmissionError when there is no ``assignment1`` package with at least one source file."""
    if not any(path.startswith(f"{PACKAGE}/") for path in files):
        raise NoPackage(f"no {PACKAGE}/ folder with Python files in {where}")
