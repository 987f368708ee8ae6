"""From bytes to source text: UTF-8, or GBK with a note that says so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.errors import SubmissionError
from grader.intake.rules import is_plain, shown
from grader.intake.submission import Note

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN = {"utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"}
_CHINESE = {"gbk", "cp936", "gb2312", "gb18030", "euc-cn", "936"}
_WESTERN = {"latin-1", "latin1", "iso-8859-1", "iso-8859-15", "cp1252"}


def decode_all(files: Mapping[str, bytes]) -> tuple[dict[str, str], tuple[Note, ...]]:
    """All sources as text in the order of their paths, with a note for each that was not UTF-8.

    Raises:
        SubmissionError: one is not source text.
    """
    texts: dict[str, str] = {}
    notes: list[Note] = []
    for path in sorted(files):
        texts[path], encoding = decode(files[path], path)
        if encoding != "UTF-8":
            notes.append(Note.of("intake.encoding", file=path, encoding=encoding))
    return texts, tuple(notes)


def decode(raw: bytes, path: str) -> tuple[str, str]:
    """Source text with any line ends, with or without a byte order mark, and the name of its encoding.

    What is not UTF-8 is read as GBK, which many Chinese editors still write, if that gives text throughout; a coding
    cookie may ask for a Western encoding. A cookie that names an encoding in which plain ASCII could hide other code
    (UTF-7, for one) is refused: the worker compiles the text as it is read here, and a person must see the same.

    Raises:
        SubmissionError: another encoding, or a NUL byte.
    """
    if b"\0" in raw:
        raise SubmissionError(f"{shown(path)} holds a NUL byte: it is not Python source text")
    declared = _declared(raw)
    if declared and declared not in _PLAIN | _CHINESE | _WESTERN:
        raise SubmissionError(f"{shown(path)} declares the encoding {declared}. Save it as UTF-8, without that line")
    try:
        return _unified(raw.decode("utf-8-sig")), "UTF-8"
    except UnicodeDecodeError as error:
        if declared in _WESTERN:
            return _unified(raw.decode(declared, "replace")), declared
        text = _as_gbk(raw)
        if text is None:
            raise SubmissionError(f"{shown(path)} is not UTF-8 text (byte {error.start})") from None
        return _unified(text), "GBK"


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(raw: bytes) -> str:
    """The encoding that a comment in the first two lines names, or nothing."""
    for line in raw.removeprefix(b"\xef\xbb\xbf").splitlines()[:2]:
        found = _COOKIE.match(line)
        if found:
            return found[1].decode("ascii", "replace").lower().replace("_", "-")
    return ""


def _as_gbk(raw: bytes) -> str | None:
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return None
    # four-byte forms reach nearly every code point, so that other bytes decode too; real text has no such characters
    return text if is_plain(re.sub(r"[\n\r\t\f]", "", text)) else None
