"""A submission: source texts by relative path."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.contract import PACKAGE
from grader.errors import SubmissionError


@dataclass(frozen=True)
class SubmissionFiles:
    """The sources that the worker gets.

    Attributes:
        name: for people: the folder's name.
        files: text by relative path with forward slashes; the package is ``assignment1/``.
        skipped: what was found and not read, for the report.
    """

    name: str
    files: Mapping[str, str]
    skipped: tuple[str, ...] = field(default=())

    @property
    def digest(self) -> str:
        """SHA-256 over paths and texts."""
        digest = hashlib.sha256()
        for path in sorted(self.files):
            digest.update(path.encode() + b"\0" + self.files[path].encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()


def decode(raw: bytes, path: str) -> str:
    """Python source as text: UTF-8 with or without a byte order mark, any line ends.

    Raises:
        SubmissionError: another encoding, with a hint, or a NUL byte.
    """
    if b"\0" in raw:
        raise SubmissionError(f"{path} holds a NUL byte: it is not Python source text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            raw.decode("gbk")
        except UnicodeDecodeError:
            raise SubmissionError(f"{path} is not UTF-8 text (byte {error.start})") from None
        raise SubmissionError(f"{path} is not UTF-8; it looks like GBK. Save it again as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def require_package(files: Mapping[str, str], where: str) -> None:
    """Raise SubmissionError when there is no ``assignment1`` package with at least one source file."""
    if not any(path.startswith(f"{PACKAGE}/") for path in files):
        raise SubmissionError(f"no {PACKAGE}/ folder with Python files in {where}")
