"""Reports as files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write(text: str, path: Path) -> None:
    """Write atomically: readers see the old file or the whole new one, also when the grader is killed meanwhile.

    Raises:
        OSError: the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:  # with the umask's rights, unlike tempfile
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # whatever it was, no half file stays; it is raised again
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
