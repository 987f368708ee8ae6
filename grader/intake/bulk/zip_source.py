"""INPUT as a zip archive, and archives in it."""

from __future__ import annotations

import bisect
import itertools
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.bulk.source import MAX_PLACES, FolderSource, Parts, Place, Source
from grader.intake.tree import Entry, Kind, Listing, join, require_file_size
from grader.intake.zip_members import ZipMembers, member_kind, member_name

MAX_NESTED = 256 << 20
"""Bytes of one archive inside another; it is copied to a file without a name while it is read."""

_IN_MEMORY, _PIECE = 8 << 20, 1 << 20


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

    def file_at(self, path: str) -> BinaryIO:
        """As in Parts: a copy in a file without a name, in memory when it is small."""
        member = self._archive.members[self._numbers[self._listing.stored[path]]]
        if member.file_size > MAX_NESTED:
            raise SubmissionError(f"{rules.shown(path)} is larger than {MAX_NESTED >> 20} MiB")
        copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by whoever reads it
        for piece in self._archive.pieces(member, MAX_NESTED, _PIECE):
            copy.write(piece)
        copy.seek(0)
        return copy  # type: ignore[return-value]  # typeshed does not call it a BinaryIO; it has every method of one
