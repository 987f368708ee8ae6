"""Read a submission from a .zip archive, member by member and in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.intake import rules
from grader.intake.collect import collect
from grader.intake.submission import SubmissionFiles
from grader.intake.tree import Entry, Listing, require_file_size
from grader.intake.zip_members import ZipMembers, member_kind, member_name


def read(file: BinaryIO, path: Path) -> SubmissionFiles:
    """Read a submission from the archive in ``file``.

    Raises:
        SubmissionError: damaged, encrypted, with directories that contradict each other, or as ``collect``.
    """
    return collect(ZipTree(file, path), str(path))


class ZipTree:
    """The files and folders of a zip archive; see ``ZipMembers`` for what is refused."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.name = path.stem
        self._archive = ZipMembers(file, rules.shown(path.name))
        self._listing = Listing()
        for member in self._archive.members:
            self._listing.add(member_name(member), member_kind(member))
            self._archive.require_readable(member)
        self._archive.require_apart()

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return self._listing.entries(folder)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        for path in paths:
            member = self._archive.members[self._listing.stored[path]]
            require_file_size(member.file_size, path)
            raw = self._archive.read(member, rules.MAX_FILE_BYTES + 1)
            require_file_size(len(raw), path)
            yield path, raw
