"""INPUT as a list of places, and what lies at a place as a tree: the same for a folder and for a zip archive."""

from __future__ import annotations

import bisect
import itertools
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.folder import FolderTree
from grader.intake.tree import Entry, Kind, Listing, Tree, by_name, join, refuse_link, require_file_size
from grader.intake.zip_members import ZipMembers, member_kind, member_name

MAX_PLACES = 200_000
"""Files and folders of a whole class."""

MAX_NESTED = 256 << 20
"""Bytes of one archive inside another; it is copied to a file without a name while it is read."""

_IN_MEMORY, _PIECE = 8 << 20, 1 << 20


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

    def open(self, path: str) -> BinaryIO:
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


def open_source(path: Path) -> Source:
    """The folder or zip archive at ``path``. Raises UsageError, SubmissionError."""
    if path.is_dir():
        return FolderSource(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if not file.read(4).startswith(b"PK"):
        file.close()
        raise UsageError(f"{path} is neither a folder nor a .zip of submissions")
    try:
        return ZipSource(file, path)
    except BaseException:  # whatever is wrong with it, it is not kept open
        file.close()
        raise


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
    def open(self, path: str) -> BinaryIO:
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

    def open(self, path: str) -> BinaryIO:
        """As in Parts."""
        return self._tree.open(self._places[path])


class ZipSource:
    """A zip archive of submissions. A member that cannot be used costs the submission that it belongs to.

    Raises:
        SubmissionError: as ``ZipMembers``.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.name = path.name
        self.unusable: list[str] = []
        self._file = file
        self._archive = ZipMembers(file, rules.shown(path.name), most=MAX_PLACES)
        self._archive.require_apart()
        self._files: dict[str, list[int]] = {}
        self._places: dict[str, Place] = {}
        for number in range(len(self._archive.members)):
            self._add(number)
        self._sorted = sorted(self._files)

    def _add(self, number: int) -> None:
        member = self._archive.members[number]
        modified = float("".join(f"{part:02d}" for part in member.date_time))
        try:
            parts = rules.member_parts(member_name(member))
        except SubmissionError:
            self.unusable.append(ascii(member.orig_filename[: rules.MAX_SHOWN]))
            return
        if not parts or any(rules.is_ignored(part) for part in parts):
            return
        path = ""
        for depth, part in enumerate(parts, 1):
            path = join(path, part)
            is_folder = depth < len(parts) or member_kind(member) is Kind.FOLDER
            self._places.setdefault(path, Place(path, is_folder, modified))
        self._files.setdefault(path, []).append(number)

    def top(self) -> list[Place]:
        """As in Source."""
        return sorted((place for place in self._places.values() if "/" not in place.path), key=lambda place: place.path)

    def below(self) -> Iterator[Place]:
        """As in Source."""
        yield from sorted(self._places.values(), key=lambda place: place.path)

    def folder(self, path: str) -> Parts:
        """As in Source."""
        return ZipParts(self._archive, path.rpartition("/")[2], self._inside(path))

    def files(self, places: Mapping[str, str]) -> Parts:
        """As in Source."""
        found = [(name, number) for name, path in places.items() for number in self._files.get(path, ())]
        return ZipParts(self._archive, self.name, found)

    def close(self) -> None:
        """As in Source."""
        self._file.close()

    def _inside(self, folder: str) -> Iterator[tuple[str, int]]:
        prefix = f"{folder}/"
        for path in itertools.islice(self._sorted, bisect.bisect_left(self._sorted, prefix), None):
            if not path.startswith(prefix):
                break
            yield from ((path.removeprefix(prefix), number) for number in self._files[path])


class ZipParts:
    """Some members of an archive as a tree, under the names that are given. Raises SubmissionError."""

    def __init__(
        self, archive: ZipMembers, name: str, members: Iterator[tuple[str, int]] | list[tuple[str, int]]
    ) -> None:
        self.name, self._archive = name, archive
        self._listing, self._numbers = Listing(), []
        for path, number in members:
            member = archive.members[number]
            self._listing.add(path, member_kind(member))
            archive.require_readable(member)
            self._numbers.append(number)

    @classmethod
    def of(cls, file: BinaryIO, name: str) -> ZipParts:
        """All of an archive. Raises SubmissionError."""
        archive = ZipMembers(file, rules.shown(name))
        archive.require_apart()
        named = [(member_name(member), number) for number, member in enumerate(archive.members)]
        return cls(archive, name.rpartition(".")[0] or name, named)

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return self._listing.entries(folder)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        for path in paths:
            member = self._archive.members[self._numbers[self._listing.stored[path]]]
            require_file_size(member.file_size, path)
            raw = self._archive.read(member, rules.MAX_FILE_BYTES + 1)
            require_file_size(len(raw), path)
            yield path, raw

    def open(self, path: str) -> BinaryIO:
        """As in Parts: a copy in a file without a name, in memory when it is small."""
        member = self._archive.members[self._numbers[self._listing.stored[path]]]
        if member.file_size > MAX_NESTED:
            raise SubmissionError(f"{rules.shown(path)} is larger than {MAX_NESTED >> 20} MiB")
        copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by whoever reads it
        for piece in self._archive.pieces(member, MAX_NESTED, _PIECE):
            copy.write(piece)
        copy.seek(0)
        return copy  # type: ignore[return-value]  # typeshed does not call it a BinaryIO; it has every method of one
