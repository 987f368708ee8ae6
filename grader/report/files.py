"""Reports as files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


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
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:  # with the umask's rights, unlike tempfile
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # whatever it was, no half file stays; it is raised again
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
