"""Files and folders by name, whatever they are kept in: what the shared rules look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from grader.errors import SubmissionError
from grader.intake import rules


class Kind(Enum):
    """What an entry is. ``OTHER``: a device, a pipe, a socket."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class UnreadableFolder(SubmissionError):
    """A folder that the system does not let us list."""


@dataclass(frozen=True)
class Entry:
    """One name in a folder."""

    name: str
    kind: Kind


class Tree(Protocol):
    """Paths have forward slashes and begin below the top, which is ``""``."""

    @property
    def name(self) -> str:
        """What the top is called, for people."""

    def entries(self, folder: str) -> list[Entry]:
        """What is in ``folder``, by name. Raises UnreadableFolder, or SubmissionError for too many entries."""

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """Each file's path and bytes, in any order. Raises SubmissionError for one that is larger than allowed."""


def join(folder: str, name: str) -> str:
    """The path of ``name`` in ``folder``."""
    return f"{folder}/{name}" if folder else name


def refuse_link(path: str) -> SubmissionError:
    """The error for a link."""
    return SubmissionError(f"{rules.shown(path)} is a link; links are not followed")


def require_file_size(size: int, path: str) -> None:
    """Raise SubmissionError when ``size`` bytes are too many for one file."""
    if size > rules.MAX_FILE_BYTES:
        raise SubmissionError(f"{rules.shown(path)} is larger than {rules.MAX_FILE_BYTES >> 10} KiB")


class Listing:
    """The folders of an archive, built from its members' paths.

    Attributes:
        stored: for each file, the member's own number; files below an ignored folder are not in it.
    """

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, Kind]] = {"": {}}
        self._members = 0
        self.stored: dict[str, int] = {}

    def add(self, path: str, kind: Kind) -> None:
        """Add the next member.

        Raises:
            SubmissionError: too many, an unusable path, a link or special file, or a name that was there before.
        """
        number, self._members = self._members, self._members + 1
        if self._members > rules.MAX_ENTRIES:
            raise SubmissionError(
                f"the archive holds more than {rules.MAX_ENTRIES} files; leave out data and environments"
            )
        folder = ""
        parts = rules.member_parts(path)
        for depth, part in enumerate(parts, 1):
            inner, is_last = join(folder, part), depth == len(parts)
            if rules.is_ignored(part):
                self._folders[folder].setdefault(part, kind if is_last else Kind.FOLDER)
                return
            self._put(folder, part, kind if is_last else Kind.FOLDER)
            folder = inner
        if parts and kind is Kind.FILE:
            self.stored[folder] = number

    def _put(self, folder: str, name: str, kind: Kind) -> None:
        path = join(folder, name)
        if kind is Kind.LINK:
            raise refuse_link(path)
        if kind is Kind.OTHER:
            raise SubmissionError(f"{rules.shown(path)} is not a regular file")
        names = self._folders[folder]
        if name in names and not names[name] is kind is Kind.FOLDER:
            raise SubmissionError(f"the archive holds {path!a} twice")
        names[name] = kind
        if kind is Kind.FOLDER:
            self._folders.setdefault(path, {})

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return by_name(Entry(name, kind) for name, kind in self._folders[folder].items())


def by_name(entries: Iterable[Entry]) -> list[Entry]:
    """The entries in a fixed order."""
    return sorted(entries, key=lambda entry: entry.name)
