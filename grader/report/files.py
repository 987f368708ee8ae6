"""Reports as files: whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TextIO


def write(text: str, path: Path) -> None:
    """Write UTF-8 with a line feed at the ends of lines, as ``write_bytes`` does.

    Raises:
        OSError: the folder cannot be written.
    """
    write_bytes(text.encode("utf-8"), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write atomically: readers see the old file or the whole new one, also when the grader is killed meanwhile.

    Raises:
        OSError: the folder cannot be written.
    """
    with replacing(path) as file:
        file.write(content)


def write_with(fill: Callable[[TextIO], object], path: Path, *, encoding: str = "utf-8", newline: str = "\n") -> None:
    """As ``write``, for what is not in memory as a whole: ``fill`` writes it piece by piece. Raises OSError."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding=encoding, newline=newline)
        fill(text)
        text.flush()
        text.detach()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of ``path`` when the block ends without an exception; see ``write``."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:  # with the umask's rights, unlike tempfile
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # whatever it was, no half file stays; it is raised again
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
