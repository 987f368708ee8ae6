"""Make the zip: two scripts at its root, this very grader and its reference in ``lib/``, and what they need."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import BinaryIO

import grader
from grader.errors import UsageError

_DISTRIBUTION = "assignment1-grader"
_WITH = "notebook"
"""The extra that submissions may need."""
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the same grader gives the same zip
_PROGRAM, _FILE = 0o755 << 16, 0o644 << 16
_SCRIPTS = ("setup.sh", "run_autograder")
_LEFT_OUT = {"__pycache__", "submissions_template"}


def write_zip(file: BinaryIO, assignment: Path | None, language: str) -> list[str]:
    """Write the zip; returns the names in it.

    Args:
        assignment: a course's settings; None: those that come with the grader.
        language: of what students read on Gradescope.

    Raises:
        UsageError: this copy of the grader lacks something.
        OSError: ``assignment`` cannot be read.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _contents(assignment, language):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.external_attr = _PROGRAM if name in _SCRIPTS else _FILE
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
        return archive.namelist()


def _contents(assignment: Path | None, language: str) -> Iterator[tuple[str, bytes]]:
    own = resources.files("grader.exports.autograder")
    for name in _SCRIPTS:
        yield name, own.joinpath(name).read_bytes().replace(b"@LANGUAGE@", language.encode())
    yield "requirements.txt", ("\n".join(requirements()) + "\n").encode()
    yield "constraints.txt", _constraints()
    if assignment is not None:
        yield "assignment.toml", assignment.read_bytes()
    for package in ("grader", "reference"):
        folder = _folder(package)
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder)
            if path.is_file() and not _LEFT_OUT.intersection(relative.parts):
                yield f"lib/{package}/{relative.as_posix()}", path.read_bytes()


def requirements() -> list[str]:
    """What the grader needs, as pip reads it. Raises UsageError when it is not installed."""
    try:
        required = importlib.metadata.requires(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(f"{_DISTRIBUTION} is not installed here, so that nobody knows what it needs") from None
    extra = re.compile(rf"""\s*;\s*extra\s*==\s*['"]{_WITH}['"]\s*$""")
    wanted = [extra.sub("", one) for one in required]
    return [one for one in wanted if "extra ==" not in one]


def _constraints() -> bytes:
    package = Path(grader.__path__[0])
    for place in (package.parent / "constraints.txt", package / "runners/docker/recipe/constraints.txt"):
        if place.is_file():
            return place.read_bytes()
    raise UsageError("this copy of the grader has no constraints.txt; install it again, or use a clone")


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)  # finds it without running it: the reference needs torch
    places = list(found.submodule_search_locations or []) if found else []
    if not places:
        raise UsageError(f"this copy of the grader has no {package}; an autograder needs all of it")
    return Path(places[0])
