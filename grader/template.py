"""What a student starts from: the files of ``submissions_template/``, in a clone and in an installed copy."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import UsageError

_PACKAGE = Path(__file__).parent
_PLACES = (_PACKAGE.parent / "submissions_template", _PACKAGE / "submissions_template")


def files() -> dict[str, bytes]:
    """The template's files by relative path with forward slashes. Raises UsageError when this copy has none."""
    for place in _PLACES:
        if place.is_dir():
            paths = [path for path in sorted(place.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
            return {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}
    raise UsageError("this copy of the grader has no template; install it again, or use a clone of its repository")


def write(folder: Path) -> list[str]:
    """Write the template into ``folder``, which is made if need be; returns the paths of what was written.

    Nothing that is there is touched: all names are looked at first, and each file is made anew or not at all.

    Raises:
        UsageError: something of the same name is there, or the folder cannot be written.
    """
    template = files()
    there = [name for name in dict.fromkeys(path.split("/")[0] for path in template) if os.path.lexists(folder / name)]
    if there:
        raise UsageError(f"nothing was written: {folder} already has {', '.join(there)}; give another folder")
    try:
        for path, content in template.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or folder}: {error.strerror}") from None
    return [*template]
