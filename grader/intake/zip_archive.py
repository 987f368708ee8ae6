"""Read a submission from a .zip archive, member by member and in memory."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.collect import collect
from grader.intake.submission import SubmissionFiles
from grader.intake.tree import Entry, Kind, Listing, require_file_size

_END = struct.Struct("<4s4H2LH")  # of the directory at the archive's end; PKWARE APPNOTE 4.3.16
_LOCAL = struct.Struct("<4s5H3L2H")  # before each member's data; 4.3.7
_LONGEST_COMMENT = 0xFFFF
_BIGGEST_DIRECTORY = 4 << 20
_ELSEWHERE = 0xFFFFFFFF  # a size that a 64-bit field holds
_ENCRYPTED, _SIZES_FOLLOW = 0x0001 | 0x0040 | 0x2000, 0x0008
_PATCHED = 0x0020
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (  # what zipfile raises for archives that are not well-formed
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OSError,
)


def read(file: BinaryIO, path: Path) -> SubmissionFiles:
    """Read a submission from the archive in ``file``.

    Raises:
        SubmissionError: damaged, encrypted, with directories that contradict each other, or as ``collect``.
    """
    return collect(ZipTree(file, path), str(path))


class ZipTree:
    """The members of a zip archive.

    A zip file says everything twice, in its directory and before each member. Tools that believe the one see another
    archive than tools that believe the other, so that an archive in which they differ is refused.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.name = path.stem
        self._file = file
        self._label = rules.shown(path.name)
        self._listing = Listing()
        count, start = self._end_of_directory()
        try:
            self._archive = zipfile.ZipFile(file)
        except _DAMAGED:
            raise self._damaged("its directory cannot be read") from None
        self._members = self._archive.infolist()
        if len(self._members) != count or self._archive.start_dir != start:
            raise self._damaged("its directory is not what its end announces")
        for member in self._members:
            self._listing.add(_name(member), _kind(member))
            self._require_readable(member)
        self._require_apart(start)

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return self._listing.entries(folder)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        for path in paths:
            member = self._members[self._listing.stored[path]]
            require_file_size(member.file_size, path)
            try:
                with self._archive.open(member) as stream:
                    raw = stream.read(rules.MAX_FILE_BYTES + 1)
            except _DAMAGED:
                raise self._damaged(f"{rules.shown(path)} in it cannot be unpacked") from None
            require_file_size(len(raw), path)
            yield path, raw

    def _end_of_directory(self) -> tuple[int, int]:
        """How many members there are and where their directory starts, before anything is allocated for them."""
        size = self._file.seek(0, 2)
        self._file.seek(max(0, size - _END.size - _LONGEST_COMMENT))
        tail = self._file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or at + _END.size > len(tail):
            raise self._damaged("its end is missing")
        _, disk, first_disk, here, count, length, start, comment = _END.unpack_from(tail, at)
        position = size - len(tail) + at
        if disk or first_disk or here != count:
            raise self._damaged("it is a part of a larger archive")
        if at + _END.size + comment != len(tail) or start + length != position:
            raise self._damaged("something was put before or behind it")
        if count > rules.MAX_ENTRIES or length > _BIGGEST_DIRECTORY:
            raise SubmissionError(
                f"{self._label} holds more than {rules.MAX_ENTRIES} files; leave out data and environments"
            )
        return count, start

    def _require_readable(self, member: zipfile.ZipInfo) -> None:
        shown = rules.shown(_name(member))
        if member.flag_bits & _ENCRYPTED:
            raise SubmissionError(f"{shown} in {self._label} is encrypted; hand in an archive without a password")
        if member.compress_type not in _METHODS or member.flag_bits & _PATCHED:
            raise SubmissionError(
                f"{shown} in {self._label} is packed by method {member.compress_type}, which cannot be read;"
                " pack it as an ordinary .zip"
            )

    def _require_apart(self, directory: int) -> None:
        """Raise SubmissionError unless each member agrees with the directory and ends before the next begins."""
        free = 0
        for member in sorted(self._members, key=lambda member: member.header_offset):
            if member.header_offset < free:
                raise self._damaged(f"{rules.shown(_name(member))} overlaps another member")
            free = self._end_of(member)
        if free > directory:
            raise self._damaged("its last member runs into its directory")

    def _end_of(self, member: zipfile.ZipInfo) -> int:
        """Where the member's data ends, after comparing what stands before it with the directory."""
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL.size)
        contradicts = self._damaged(f"it says two things about {rules.shown(_name(member))}")
        if len(header) < _LOCAL.size:
            raise contradicts
        magic, _, flags, method, _, _, check, packed, size, name_length, extra_length = _LOCAL.unpack(header)
        name = self._file.read(name_length)
        agrees = (magic, method, name) == (b"PK\x03\x04", member.compress_type, _raw_name(member))
        if not agrees or (flags ^ member.flag_bits) & (_ENCRYPTED | _PATCHED):
            raise contradicts
        sizes = (
            (check, member.CRC, None),
            (packed, member.compress_size, _ELSEWHERE),
            (size, member.file_size, _ELSEWHERE),
        )
        for here, there, other in sizes:
            may_be_zero = flags & _SIZES_FOLLOW and not here
            if here != there and not may_be_zero and here != other:
                raise contradicts
        return int(self._file.tell()) + int(extra_length) + member.compress_size

    def _damaged(self, why: str) -> SubmissionError:
        return SubmissionError(f"{self._label} is no readable zip archive: {why}")


def _raw_name(member: zipfile.ZipInfo) -> bytes:
    """The bytes of the name: zipfile takes those without the UTF-8 mark for the first PC's character set."""
    return member.orig_filename.encode("utf-8" if member.flag_bits & 0x800 else "cp437")


def _name(member: zipfile.ZipInfo) -> str:
    """The name as its author reads it; macOS writes UTF-8 and Chinese Windows GBK, both without saying so."""
    return rules.decode_name(_raw_name(member))


def _kind(member: zipfile.ZipInfo) -> Kind:
    mode = stat.S_IFMT(member.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return Kind.LINK
    if member.orig_filename.endswith("/"):
        return Kind.FOLDER
    return Kind.FILE if mode in (0, stat.S_IFREG) else Kind.OTHER
