"""What every form of submission keeps to: limits, names, and what is never read."""

from __future__ import annotations

import re
import unicodedata

from grader.errors import SubmissionError

MAX_FILES = 200
"""Python files."""

MAX_FILE_BYTES = 1 << 20
MAX_BYTES = 8 << 20
"""Of all Python files together."""

MAX_DEPTH = 6
"""Folders inside each other, from the package downwards."""

MAX_WRAPPERS = 3
"""Folders around the one that holds the package."""

MAX_ENTRIES = 10_000
"""Files and folders that are looked at, read or not."""

MAX_UNPACKED = 32 << 20
"""What a compressed archive may expand to. Absolute, with no ratio beside it: memory and time are bounded by what comes
out, and a ratio would refuse an honest file of zeros."""

MAX_LISTED = 100
"""Skipped files that the report names."""

MAX_SHOWN = 120
_MAX_PATH, _MAX_PARTS = 1000, 32

_NEVER_ENTERED = {"__pycache__", "__macosx", "venv", "node_modules", "site-packages"}
_CONFIGURES_TOOLS = {"conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py"}


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is passed over, whatever it is: hidden, compiled, an environment.

    Hidden files matter most: macOS leaves a ``._x.py`` that is no Python beside every ``x.py``.
    """
    return name.startswith(".") or name.casefold() in _NEVER_ENTERED


def is_source(name: str) -> bool:
    """Whether a file of this name is read; one that would configure Python or pytest is not."""
    return name.endswith(".py") and name not in _CONFIGURES_TOOLS


def is_plain(text: str) -> bool:
    """Whether ``text`` is shown as it is: no control, bidirectional or unassigned character, no half of a pair."""
    return all(character.isprintable() or unicodedata.category(character) == "Zs" for character in text)


def shown(name: str) -> str:
    """A name for a sentence: as it is, or in ASCII where a terminal would not show it as it is."""
    short = name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}..."
    return short if is_plain(short) else ascii(short)


def folded(name: str) -> str:
    """Equal for names that are one file where case or the form of accents does not count, as on macOS and Windows."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def require_usable(name: str) -> None:
    """Raise SubmissionError for a name that cannot be shown, or that is a path on some system."""
    if not is_plain(name) or "\\" in name:
        raise SubmissionError(f"{ascii(name)[: MAX_SHOWN + 2]} is not a usable file name")


def member_parts(path: str) -> tuple[str, ...]:
    """The components of a path inside an archive, without ``.`` and empty ones; () for the top.

    Raises:
        SubmissionError: absolute, with ``..``, with a drive or a backslash, with control characters, too deep.
    """
    if not is_plain(path) or "\\" in path:
        raise SubmissionError(f"the archive holds the unusable name {path[:MAX_SHOWN]!a}")
    if path.startswith("/") or re.match("[A-Za-z]:", path):
        raise SubmissionError(f"the archive holds the absolute path {path[:MAX_SHOWN]!a}")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        raise SubmissionError(f"the archive holds the path {path[:MAX_SHOWN]!a}, which leaves it")
    if len(parts) > _MAX_PARTS or len(path) > _MAX_PATH:
        raise SubmissionError(f"{path[:MAX_SHOWN]!a} is nested too deep")
    return parts


def decode_name(raw: bytes) -> str:
    """A name as archives store it: UTF-8, or GBK as Chinese Windows writes it.

    Raises:
        SubmissionError: neither.
    """
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise SubmissionError(f"the archive holds the unusable name {raw[:MAX_SHOWN]!a}")
