"""INPUT as a list of places, and what lies at a place as a tree: the same for a folder and for a zip archive."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.folder import FolderTree
from grader.intake.tree import Entry, Kind, Tree, by_name, join, refuse_link

MAX_PLACES = 200_000
"""Files and folders of a whole class."""


@dataclass(frozen=True)
class Place:
    """A file or folder of INPUT.

    Attributes:
        path: with forward slashes.
        modified: a number that is larger for what was changed later.
        problem: why it cannot be read; None: nothing is known against it.
    """

    path: str
    is_folder: bool
    modified: float = 0.0
    problem: str | None = None


class Parts(Tree, Protocol):
    """A tree whose files can be opened as a whole, for archives in it."""

    def file_at(self, path: str) -> BinaryIO:
        """The file. Raises SubmissionError."""


class Source(Protocol):
    """INPUT.

    Attributes:
        unusable: names that are no names of files on some system, as ASCII.
    """

    name: str
    unusable: list[str]

    def top(self) -> list[Place]:
        """What lies at the top, but for what is never read."""

    def below(self) -> Iterator[Place]:
        """Every file and folder, a folder before what is in it."""

    def folder(self, path: str) -> Parts:
        """What is in a folder. Raises SubmissionError."""

    def files(self, places: Mapping[str, str]) -> Parts:
        """Single files as one tree: the path of each by the name that it has there. Raises SubmissionError."""

    def close(self) -> None:
        """Close the file that is read."""


class FolderSource:
    """A folder of submissions."""

    def __init__(self, path: Path) -> None:
        self._root = path.resolve()
        self.name = self._root.name
        self.unusable: list[str] = []

    def top(self) -> list[Place]:
        """As in Source."""
        return self._list("")

    def below(self) -> Iterator[Place]:
        """As in Source."""
        waiting, seen = [""], 0
        while waiting:
            for place in self._list(waiting.pop()):
                seen += 1
                if seen > MAX_PLACES:
                    raise UsageError(f"more than {MAX_PLACES} files and folders in {self.name}")
                yield place
                if place.is_folder and place.problem is None:
                    waiting.append(place.path)

    def _list(self, folder: str) -> list[Place]:
        found = []
        try:
            with os.scandir(self._root / folder) as listing:
                for entry in listing:
                    if not rules.is_ignored(entry.name):
                        found.append(_place(entry, join(folder, entry.name)))
        except OSError as error:
            raise UsageError(f"cannot read {self._root / folder}: {error.strerror}") from None
        return sorted(found, key=lambda place: place.path)

    def folder(self, path: str) -> Parts:
        """As in Source."""
        return _FolderParts(self._root / path)

    def files(self, places: Mapping[str, str]) -> Parts:
        """As in Source."""
        return _Renamed(_FolderParts(self._root), self.name, places)

    def close(self) -> None:
        """As in Source: each file is closed when it is read."""


def _place(entry: os.DirEntry[str], path: str) -> Place:
    problem = None
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        problem = str(refuse_link(path))
    elif not rules.is_plain(entry.name):
        problem = f"{path[: rules.MAX_SHOWN]!a} is not a usable name"
    try:
        modified = entry.stat(follow_symlinks=False).st_mtime
    except OSError:  # it has gone meanwhile
        modified = 0.0
    return Place(path, entry.is_dir(follow_symlinks=False), modified, problem)


class _FolderParts(FolderTree):
    def file_at(self, path: str) -> BinaryIO:
        """As in Parts."""
        target = self._top / path
        if target.is_symlink():
            raise refuse_link(path)
        try:
            return target.open("rb")
        except OSError as error:
            raise SubmissionError(f"{rules.shown(path)} cannot be read: {error.strerror}") from None


class _Renamed:
    """Files of a tree under other names, all at the top."""

    def __init__(self, tree: Parts, name: str, places: Mapping[str, str]) -> None:
        self._tree, self.name, self._places = tree, name, places

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return by_name(Entry(name, Kind.FILE) for name in self._places)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        for path in paths:
            for _, raw in self._tree.read([self._places[path]]):
                yield path, raw

    def file_at(self, path: str) -> BinaryIO:
        """As in Parts."""
        return self._tree.file_at(self._places[path])
