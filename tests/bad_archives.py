"""Archives that nobody hands in by accident: name -> (builder, what the sentence that refuses it says)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import unicodedata
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Protocol

GOOD = {"assignment1/rope.py": b"x = 1\n", "assignment1/norm.py": b"y = 2\n"}
PAX = tarfile.PAX_FORMAT
_PIECE = bytes(1 << 20)
Build = Callable[[], bytes]


class Compressor(Protocol):
    def compress(self, raw: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """GOOD and ``members`` as a zip archive; a name may come twice."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "Duplicate name"
        for name, raw in (*GOOD.items(), *members):
            archive.writestr(name, raw)
    return target.getvalue()


def only_in_zip(name: str, raw: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name, raw)
    return target.getvalue()


def with_mode(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def many_in_zip(count: int = 100_000) -> bytes:
    """A valid archive, written by hand: zipfile needs seconds for it."""
    local, directory = bytearray(), bytearray()
    for number in range(count):
        name = b"assignment1/%06d.py" % number
        directory += struct.pack(
            "<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, len(local)
        )
        directory += name
        local += struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0) + name
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), len(local), 0)
    return bytes(local + directory + end)


def patched(raw: bytes, old: bytes, new: bytes, *, which: int) -> bytes:
    """``raw`` with occurrence number ``which`` of ``old`` replaced; 0 is before a member's data, 1 in the directory."""
    at = -1
    for _ in range(which + 1):
        at = raw.index(old, at + 1)
    return raw[:at] + new + raw[at + len(old) :]


def field(raw: bytes, magic: bytes, offset: int, layout: str, value: int, *, member: int = 0) -> bytes:
    """``raw`` with one number of a header replaced."""
    changed, at = bytearray(raw), -1
    for _ in range(member + 1):
        at = raw.index(magic, at + 1)
    struct.pack_into(f"<{layout}", changed, at + offset, value)
    return bytes(changed)


def flagged(raw: bytes, flag: int) -> bytes:
    """The first member with a flag, in both of its headers."""
    return field(field(raw, b"PK\3\4", 6, "H", flag), b"PK\1\2", 8, "H", flag)


def lying_about_size() -> bytes:
    """64 MiB behind a header that says 100 bytes, in both places."""
    raw = zipped(("assignment1/big.py", b"#" * (64 << 20)))
    return field(field(raw, b"PK\3\4", 22, "L", 100, member=2), b"PK\1\2", 24, "L", 100, member=2)


def overlapping() -> bytes:
    """The first member's data runs over the second."""
    raw = zipped(method=zipfile.ZIP_STORED)
    return field(field(raw, b"PK\3\4", 18, "L", 60), b"PK\1\2", 20, "L", 60)


def tarred(*members: tuple[tarfile.TarInfo, bytes], format: int = tarfile.GNU_FORMAT) -> bytes:
    """GOOD and ``members`` as a tar archive."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=format) as archive:
        for info, raw in (*(named(name, raw) for name, raw in GOOD.items()), *members):
            archive.addfile(info, io.BytesIO(raw))
    return target.getvalue()


def named(name: str, raw: bytes = b"", type: bytes = tarfile.REGTYPE, **pax: str) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.pax_headers = len(raw), type, pax
    info.linkname = "/etc/passwd" if type in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    return info, raw


def with_size_field(raw: bytes, value: bytes) -> bytes:
    """The first header with another size, and its sum put right."""
    return with_header(raw, 124, value)


def with_type(raw: bytes, type: bytes) -> bytes:
    """The first header with another type, and its sum put right."""
    return with_header(raw, 156, type)


def with_header(raw: bytes, at: int, value: bytes) -> bytes:
    header = bytearray(raw[:512])
    header[at : at + len(value)], header[148:156] = value, b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + raw[512:]


def pax_for_all(**values: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT, pax_headers=values) as archive:
        for name, raw in GOOD.items():
            archive.addfile(named(name, raw)[0], io.BytesIO(raw))
    return target.getvalue()


def zeros(compressor: Compressor, size: int) -> bytes:
    """A tar whose first file is all zeros, without that much memory."""
    header = tarfile.TarInfo("assignment1/rope.py")
    header.size = size
    pieces = [compressor.compress(header.tobuf())]
    pieces += [compressor.compress(_PIECE) for _ in range(size // len(_PIECE))]
    return b"".join([*pieces, compressor.flush()])


def wide_dictionary() -> bytes:
    """An xz file that asks its reader for 1.5 GiB: its block's header with another size, and its sum put right."""
    packed = bytearray(lzma.compress(tarred()))
    at = packed.index(b"\x21\x01", 12)
    packed[at + 2] = 37
    end = 12 + packed[12] * 4
    packed[end : end + 4] = struct.pack("<L", zlib.crc32(bytes(packed[12:end])))
    return bytes(packed)


def gz(raw: bytes) -> bytes:
    return gzip.compress(raw, 1)


PY = "assignment1/rope.py"
UNUSABLE = "the archive holds the unusable name "
NO_ZIP = "bad is no readable zip archive: "
NO_TAR = "bad is no readable tar archive: "
TWICE = f"the archive holds '{PY}' twice"
MANY = " holds more than 10000 files; leave out data and environments"
LARGE = "the archive holds more than 32 MiB; leave out data and environments"
SYSTEMS = "are the same name on some systems"
COMPOSED, APART = (unicodedata.normalize(form, "assignment1/caf\u00e9.py") for form in ("NFC", "NFD"))

ZIPS: dict[str, tuple[Build, str]] = {
    "zip: link": (lambda: zipped((with_mode("notes", 0o120777), b"/etc/passwd")), "notes is a link"),
    "zip: pipe": (lambda: zipped((with_mode("notes", 0o010644), b"")), "notes is not a regular file"),
    "zip: device": (lambda: zipped((with_mode("notes", 0o020644), b"")), "notes is not a regular file"),
    "zip: above": (lambda: zipped(("../../evil.py", b"")), "the path '../../evil.py', which leaves it"),
    "zip: above, hidden": (lambda: zipped((".git/../../evil.py", b"")), "which leaves it"),
    "zip: absolute": (lambda: zipped(("/etc/evil.py", b"")), "the absolute path '/etc/evil.py'"),
    "zip: drive": (lambda: zipped(("C:/evil.py", b"")), "the absolute path 'C:/evil.py'"),
    "zip: backslash": (lambda: zipped(("assignment1\\evil.py", b"")), UNUSABLE + r"'assignment1\\evil.py'"),
    "zip: control character": (lambda: zipped(("a\x1b[2J\n.py", b"")), UNUSABLE + r"'a\x1b[2J\n.py'"),
    "zip: reversing character": (lambda: zipped(("a\u202eyp.txt", b"")), UNUSABLE + r"'a\u202eyp.txt'"),
    "zip: NUL": (lambda: zipped(("aXb.py", b"")).replace(b"aXb.py", b"a\0b.py"), UNUSABLE + r"'a\x00b.py'"),
    "zip: twice": (lambda: zipped((PY, b"z = 3\n")), TWICE),
    "zip: twice but for case": (lambda: zipped(("assignment1/ROPE.py", b"")), SYSTEMS),
    "zip: folder twice but for case": (lambda: zipped(("Assignment1/rope.py", b"")), SYSTEMS),
    "zip: twice but for accents": (lambda: zipped((COMPOSED, b""), (APART, b"")), SYSTEMS),
    "zip: file and folder": (lambda: zipped((PY + "/deep.py", b"")), TWICE),
    "zip: deep": (lambda: zipped(("assignment1/" + "a/" * 40 + "x.py", b"")), "is nested too deep"),
    "zip: many": (many_in_zip, "bad" + MANY),
    "zip: one too many": (lambda: many_in_zip(10_001), "bad" + MANY),
    "zip: many, counted wrong": (
        lambda: field(field(many_in_zip(50), b"PK\5\6", 8, "H", 5), b"PK\5\6", 10, "H", 5),
        NO_ZIP + "its directory is not what its end",
    ),
    "zip: large file": (lambda: zipped((PY[:-3] + "2.py", bytes(64 << 20))), "is larger than 1024 KiB"),
    "zip: larger than it says": (lying_about_size, "assignment1/big.py in it cannot be unpacked"),
    "zip: encrypted": (lambda: flagged(zipped(), 0x1), "is encrypted; hand in an archive without a password"),
    "zip: strongly encrypted": (lambda: flagged(zipped(), 0x41), "is encrypted"),
    "zip: bzip2": (lambda: zipped(method=zipfile.ZIP_BZIP2), "is packed by method 12"),
    "zip: LZMA": (lambda: zipped(method=zipfile.ZIP_LZMA), "is packed by method 14"),
    "zip: unknown method": (lambda: field(zipped(), b"PK\1\2", 10, "H", 99), "is packed by method 99"),
    "zip: truncated": (lambda: zipped()[:-30], NO_ZIP + "its end is missing"),
    "zip: first bytes only": (lambda: zipped()[:4], NO_ZIP + "its end is missing"),
    "zip: something before": (lambda: b"PK\3\4" + zipped(), NO_ZIP + "something was put before or behind it"),
    "zip: something behind": (lambda: zipped() + b"x", NO_ZIP + "something was put before or behind it"),
    "zip: part of several": (lambda: field(zipped(), b"PK\5\6", 4, "H", 1), NO_ZIP + "it is a part of a larger"),
    "zip: another name inside": (lambda: patched(zipped(), b"rope.py", b"evil.py", which=0), "two things about"),
    "zip: another method inside": (lambda: field(zipped(), b"PK\3\4", 8, "H", 0), "two things about"),
    "zip: another size inside": (lambda: field(zipped(), b"PK\3\4", 22, "L", 5), "two things about"),
    "zip: another sum inside": (lambda: field(zipped(), b"PK\3\4", 14, "L", 0), "two things about"),
    "zip: wrong sum": (lambda: zipped(method=zipfile.ZIP_STORED).replace(b"x = 1", b"x = 9"), "cannot be unpacked"),
    "zip: overlapping": (overlapping, NO_ZIP + "assignment1/norm.py overlaps another member"),
    "zip: member outside": (lambda: field(zipped(), b"PK\1\2", 42, "L", 1 << 30), "two things about"),
    "zip: needs a later version": (lambda: field(zipped(), b"PK\1\2", 6, "H", 99), NO_ZIP + "its directory cannot"),
    "zip: empty": (lambda: zipped()[-22:-22] + struct.pack("<4s4H2LH", b"PK\5\6", *[0] * 7), "no assignment1/ folder"),
    "zip: in a zip": (lambda: only_in_zip("inner.zip", zipped()), "no assignment1/ folder in"),
}

TARS: dict[str, tuple[Build, str]] = {
    "tar: link": (lambda: tarred(named("d", type=tarfile.SYMTYPE)), "d is a link; links are not followed"),
    "tar: hard link": (lambda: tarred(named("d", type=tarfile.LNKTYPE)), "d is a link; links are not followed"),
    "tar: device": (lambda: tarred(named("d", type=tarfile.CHRTYPE)), "d is not a regular file"),
    "tar: disk": (lambda: tarred(named("d", type=tarfile.BLKTYPE)), "d is not a regular file"),
    "tar: pipe": (lambda: tarred(named("d", type=tarfile.FIFOTYPE)), "d is not a regular file"),
    "tar: above": (lambda: tarred(named("../evil.py")), "which leaves it"),
    "tar: absolute": (lambda: tarred(named("/etc/evil.py")), "the absolute path '/etc/evil.py'"),
    "tar: backslash": (lambda: tarred(named("a\\b.py")), UNUSABLE),
    "tar: control character": (lambda: tarred(named("a\nb.py")), UNUSABLE + r"'a\nb.py'"),
    "tar: twice": (lambda: tarred(named(PY)), TWICE),
    "tar: twice but for case": (lambda: tarred(named("assignment1/ROPE.py")), SYSTEMS),
    "tar: twice but for accents": (lambda: tarred(named(COMPOSED), named(APART)), SYSTEMS),
    "tar: deep": (lambda: tarred(named("a/" * 40 + "x.py")), "is nested too deep"),
    "tar: many": (lambda: gz(tarred(*(named(f"assignment1/{n}.py") for n in range(10_001)))), "the archive" + MANY),
    "tar: sparse, old": (lambda: with_type(tarred(), b"S"), "assignment1/rope.py in it is of the unknown type b'S'"),
    "tar: sparse, new": (lambda: tarred(named("a.py", **{"GNU.sparse.major": "1"}), format=PAX), "a sparse file"),
    "tar: unknown type": (lambda: with_type(tarred(), b"Z"), "of the unknown type b'Z'"),
    "tar: folder with a size": (lambda: with_type(tarred(), b"5"), "is no file and has a size"),
    "tar: size twice": (lambda: tarred(named("a.py", size="9"), format=PAX), "says two things about a size"),
    "tar: one name for all": (lambda: pax_for_all(path="evil.py"), "has one name or size for all members"),
    "tar: above, in a long name": (lambda: tarred(named("../" * 60 + "evil.py")), "which leaves it"),
    "tar: above, in pax": (lambda: tarred(named("a.py", path="../evil.py"), format=PAX), "which leaves it"),
    "tar: malformed pax": (
        lambda: tarred(named("a.py", path="b"), format=PAX).replace(b"9 path=b", b"8 path=b"),
        NO_TAR,
    ),
    "tar: negative size": (lambda: with_size_field(tarred(), b"\xff" * 12), NO_TAR + "a size in it is negative"),
    "tar: huge size": (lambda: with_size_field(tarred(), b"77777777777\0"), NO_TAR + "it is cut short"),
    "tar: huge header": (lambda: with_type(with_size_field(tarred(), b"77777777777\0"), b"x"), "longer than any name"),
    "tar: large file": (lambda: tarred(named("assignment1/a.py", bytes(2 << 20))), "is larger than 1024 KiB"),
    "tar: wrong header": (
        lambda: tarred().replace(b"norm.py", b"evil.py"),
        NO_TAR + "what should be a member's header",
    ),
    "tar: truncated": (lambda: tarred()[:1200], NO_TAR + "it is cut short"),
    "tar: without an end": (lambda: tarred()[:2048], NO_TAR + "it is cut short"),
    "tar: something behind": (lambda: tarred() + tarred(), NO_TAR + "something is behind its end"),
    "gz: truncated": (lambda: gz(tarred())[:-20], NO_TAR + "its compressed data ends too early"),
    "gz: wrong sum": (lambda: gz(tarred())[:-8] + bytes(8), NO_TAR + "its compressed data is damaged"),
    "gz: something behind": (lambda: gz(tarred()) + b"x", NO_TAR + "something is behind its compressed data"),
    "gz: many empty streams": (lambda: gz(b"") * 100_000, NO_TAR + "something is behind its compressed data"),
    "gz: in a gz": (lambda: gz(gz(tarred())), NO_TAR),
    "gz: endless name": (
        lambda: b"\x1f\x8b\x08\x08" + b"a" * (64 << 20),
        NO_TAR + "its compressed data ends too early",
    ),
    "gz: no tar in it": (lambda: gz(b"x = 1\n"), NO_TAR + "it is cut short"),
    "gz: a GiB": (lambda: zeros(zlib.compressobj(1, zlib.DEFLATED, 31), 1 << 30), LARGE),
    "bz2: many zeros": (lambda: zeros(bz2.BZ2Compressor(), 1 << 28), LARGE),
    "bz2: truncated": (lambda: bz2.compress(tarred())[:-20], NO_TAR + "its compressed data ends too early"),
    "bz2: damaged": (lambda: bz2.compress(tarred())[:-20] + bytes(20), NO_TAR + "its compressed data is damaged"),
    "xz: many zeros": (lambda: zeros(lzma.LZMACompressor(preset=0), 1 << 28), LARGE),
    "xz: wide dictionary": (wide_dictionary, NO_TAR + "its compressed data is damaged, or takes too much memory"),
    "xz: truncated": (lambda: lzma.compress(tarred())[:-20], NO_TAR + "its compressed data ends too early"),
}

BAD = {**ZIPS, **TARS}
