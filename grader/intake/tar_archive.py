"""Read a submission from a .tar archive, plain or compressed, member by member and in memory.

The headers are parsed by the standard library, the walk from one to the next is our own: what ``tarfile`` accepts on
the way (sparse files, sizes given twice, negative ones) has led it out of its folder or into endless loops before.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.collect import collect
from grader.intake.submission import SubmissionFiles
from grader.intake.tree import Entry, Kind, Listing, require_file_size
from grader.intake.unpack import Unpacked

_BLOCK = tarfile.BLOCKSIZE
_END = b"\0" * _BLOCK
_PIECE = 1 << 16
_MAX_EXTENSION = 1 << 20  # macOS puts attributes of files into these
_KINDS = {
    tarfile.REGTYPE: Kind.FILE,
    tarfile.AREGTYPE: Kind.FILE,
    tarfile.DIRTYPE: Kind.FOLDER,
    tarfile.LNKTYPE: Kind.LINK,
    tarfile.SYMTYPE: Kind.LINK,
    tarfile.CHRTYPE: Kind.OTHER,
    tarfile.BLKTYPE: Kind.OTHER,
    tarfile.FIFOTYPE: Kind.OTHER,
}
_EXTENSIONS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE)
"""What stands before a member's own header: its full name, where that has room for a part only, and more."""

_RECORD = re.compile(rb"([1-9]\d{0,6}) ([^=\0\n]{1,500})=")


def is_header(block: bytes) -> bool:
    """Whether ``block`` begins a tar archive."""
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def read(file: BinaryIO, path: Path) -> SubmissionFiles:
    """Read a submission from the archive in ``file``.

    Raises:
        SubmissionError: damaged, too large when unpacked, with parts that no submission needs, or as ``collect``.
    """
    return collect(TarTree(file, path), str(path))


class TarTree:
    """The members of a tar archive; it is unpacked twice, once for the names and once for the files that count."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.name = re.sub(r"(\.tar)?\.\w+$", "", path.name, flags=re.IGNORECASE) or path.name
        self._file = file
        self._label = rules.shown(path.name)
        self._listing = Listing()
        for member, _ in self._walk(()):
            self._listing.add(member.name, member.kind)

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree."""
        return self._listing.entries(folder)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        wanted = {self._listing.stored[path]: path for path in paths}
        for number, (member, raw) in enumerate(self._walk(wanted)):
            if number in wanted:
                require_file_size(member.size, wanted[number])
                yield wanted[number], raw

    def _walk(self, wanted: Container[int]) -> Iterator[tuple[_Member, bytes]]:
        """Each member, with its data where its number is wanted."""
        self._file.seek(0)
        try:
            yield from _members(Unpacked(self._file), wanted)
        except tarfile.HeaderError:
            raise self._damaged("what should be a member's header is none") from None
        except (ValueError, OSError) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, why: str) -> SubmissionError:
        return SubmissionError(f"{self._label} is no readable tar archive: {why}")


class _Member(NamedTuple):
    name: str
    kind: Kind
    size: int


def _members(stream: Unpacked, wanted: Container[int]) -> Iterator[tuple[_Member, bytes]]:
    number = 0
    extensions: dict[bytes, bytes] = {}
    while True:
        block = _exactly(stream, _BLOCK)
        if block == _END:
            break
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.size < 0:
            raise ValueError("a size in it is negative")
        if header.type in _EXTENSIONS:
            if header.size > _MAX_EXTENSION or header.type in extensions:
                raise ValueError("a header in it is longer than any name")
            extensions[header.type] = _exactly(stream, header.size)
            _pass_over(stream, -header.size % _BLOCK)
            continue
        member = _member(header, extensions)
        extensions = {}
        to_read = min(member.size, rules.MAX_FILE_BYTES) if number in wanted else 0
        yield member, _exactly(stream, to_read)
        _pass_over(stream, member.size - to_read + -member.size % _BLOCK)
        number += 1
    if extensions:
        raise ValueError("it is cut short")
    while rest := stream.read(_PIECE):
        if rest.count(0) != len(rest):
            raise ValueError("something is behind its end")


def _member(header: tarfile.TarInfo, extensions: Mapping[bytes, bytes]) -> _Member:
    """What a header and the extensions before it say."""
    name = header.name.encode("utf-8", "surrogateescape")
    if tarfile.GNUTYPE_LONGNAME in extensions:
        name = extensions[tarfile.GNUTYPE_LONGNAME].rstrip(b"\0")
    records = _records(extensions.get(tarfile.XHDTYPE, b""))
    for_all = _records(extensions.get(tarfile.XGLTYPE, b""))
    if any(key in (b"path", b"linkpath", b"size") for key in for_all):
        raise ValueError("it has one name or size for all members")
    if any(key.startswith(b"GNU.sparse") for key in (*records, *for_all)):
        raise ValueError("it holds a sparse file")
    if records.get(b"size", b"%d" % header.size) != b"%d" % header.size:
        raise ValueError("it says two things about a size")
    shown = rules.decode_name(records.get(b"path", name))
    kind = _KINDS.get(header.type)
    if kind is None:
        raise ValueError(f"{rules.shown(shown)} in it is of the unknown type {header.type!a}")
    if kind is Kind.FILE and shown.endswith("/"):
        kind = Kind.FOLDER
    if kind is not Kind.FILE and header.size:
        raise ValueError(f"{rules.shown(shown)} in it is no file and has a size")
    return _Member(shown, kind, header.size)


def _records(raw: bytes) -> dict[bytes, bytes]:
    """The values of a pax header by key: lines ``LENGTH KEY=VALUE``, whose length counts all of the line."""
    records: dict[bytes, bytes] = {}
    at = 0
    while at < len(raw):
        found = _RECORD.match(raw, at)
        end = at + int(found[1]) if found else 0
        if found is None or end > len(raw) or end <= found.end() or raw[end - 1 : end] != b"\n" or found[2] in records:
            raise ValueError("an extended header in it is malformed")
        records[found[2]] = raw[found.end() : end - 1]
        at = end
    return records


def _exactly(stream: Unpacked, size: int) -> bytes:
    raw = stream.read(size)
    if len(raw) < size:
        raise ValueError("it is cut short")
    return raw


def _pass_over(stream: Unpacked, size: int) -> None:
    while size > 0:
        size -= len(_exactly(stream, min(size, _PIECE)))
