"""A zip archive as a whole: its directory, held against what stands before each member."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.tree import Kind

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


class ZipMembers:
    """The members of a zip archive.

    A zip file says everything twice, in its directory and before each member. Tools that believe the one see another
    archive than tools that believe the other, so that an archive in which they differ is refused.

    Args:
        label: what the archive is called, for sentences.
        most: members.

    Raises:
        SubmissionError: damaged, with directories that contradict each other, or with too many members.
    """

    def __init__(self, file: BinaryIO, label: str, *, most: int = rules.MAX_ENTRIES) -> None:
        self._file, self._most = file, most
        self.label = label
        count, start = self._end_of_directory()
        try:
            self._archive = zipfile.ZipFile(file)
        except _DAMAGED:
            raise self.damaged("its directory cannot be read") from None
        self.members = self._archive.infolist()
        if len(self.members) != count or self._archive.start_dir != start:
            raise self.damaged("its directory is not what its end announces")
        self._start = start

    def read(self, member: zipfile.ZipInfo, most: int) -> bytes:
        """The first ``most`` bytes of a member. Raises SubmissionError when it is damaged."""
        try:
            with self._archive.open(member) as stream:
                return stream.read(most)
        except _DAMAGED:
            raise self.damaged(f"{rules.shown(member_name(member))} in it cannot be unpacked") from None

    def pieces(self, member: zipfile.ZipInfo, most: int, size: int) -> Iterator[bytes]:
        """All of a member in pieces of ``size`` bytes. Raises SubmissionError: damaged, or larger than ``most``."""
        left = most
        try:
            with self._archive.open(member) as stream:
                while piece := stream.read(size):
                    left -= len(piece)
                    if left < 0:
                        raise SubmissionError(f"{rules.shown(member_name(member))} is larger than {most >> 20} MiB")
                    yield piece
        except _DAMAGED:
            raise self.damaged(f"{rules.shown(member_name(member))} in it cannot be unpacked") from None

    def require_apart(self) -> None:
        """Raise SubmissionError unless each member agrees with the directory and ends before the next begins."""
        free = 0
        for member in sorted(self.members, key=lambda member: member.header_offset):
            if member.header_offset < free:
                raise self.damaged(f"{rules.shown(member_name(member))} overlaps another member")
            free = self._end_of(member)
        if free > self._start:
            raise self.damaged("its last member runs into its directory")

    def _end_of_directory(self) -> tuple[int, int]:
        """How many members there are and where their directory starts, before anything is allocated for them."""
        size = self._file.seek(0, 2)
        self._file.seek(max(0, size - _END.size - _LONGEST_COMMENT))
        tail = self._file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or at + _END.size > len(tail):
            raise self.damaged("its end is missing")
        _, disk, first_disk, here, count, length, start, comment = _END.unpack_from(tail, at)
        position = size - len(tail) + at
        if disk or first_disk or here != count:
            raise self.damaged("it is a part of a larger archive")
        if at + _END.size + comment != len(tail) or start + length != position:
            raise self.damaged("something was put before or behind it")
        if count > self._most or length > _BIGGEST_DIRECTORY * max(1, self._most // rules.MAX_ENTRIES):
            raise SubmissionError(f"{self.label} holds more than {self._most} files; leave out data and environments")
        return count, start

    def require_readable(self, member: zipfile.ZipInfo) -> None:
        """Raise SubmissionError when a member is encrypted, or packed in a way that cannot be read."""
        shown = rules.shown(member_name(member))
        if member.flag_bits & _ENCRYPTED:
            raise SubmissionError(f"{shown} in {self.label} is encrypted; hand in an archive without a password")
        if member.compress_type not in _METHODS or member.flag_bits & _PATCHED:
            raise SubmissionError(
                f"{shown} in {self.label} is packed by method {member.compress_type}, which cannot be read;"
                " pack it as an ordinary .zip"
            )

    def _end_of(self, member: zipfile.ZipInfo) -> int:
        """Where the member's data ends, after comparing what stands before it with the directory."""
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL.size)
        contradicts = self.damaged(f"it says two things about {rules.shown(member_name(member))}")
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

    def damaged(self, why: str) -> SubmissionError:
        """The error for an archive that is not well-formed."""
        return SubmissionError(f"{self.label} is no readable zip archive: {why}")


def _raw_name(member: zipfile.ZipInfo) -> bytes:
    """The bytes of the name: zipfile takes those without the UTF-8 mark for the first PC's character set."""
    return member.orig_filename.encode("utf-8" if member.flag_bits & 0x800 else "cp437")


def member_name(member: zipfile.ZipInfo) -> str:
    """The name as its author reads it; macOS writes UTF-8 and Chinese Windows GBK, both without saying so."""
    return rules.decode_name(_raw_name(member))


def member_kind(member: zipfile.ZipInfo) -> Kind:
    """What a member is, as its attributes say."""
    mode = stat.S_IFMT(member.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return Kind.LINK
    if member.orig_filename.endswith("/"):
        return Kind.FOLDER
    return Kind.FILE if mode in (0, stat.S_IFREG) else Kind.OTHER
