"""A single file as a submission: one module of the contract, or all of them in one file."""

from __future__ import annotations

import keyword
import posixpath
from collections.abc import Mapping
from pathlib import Path

from grader.contract import MODULES, PACKAGE
from grader.intake.source import decode_all
from grader.intake.submission import SubmissionFiles
from grader.intake.tree import require_file_size

_SHIM = """\
from . import {own} as _own  # written by the grader: all of the submission is in {own}
globals().update({{name: value for name, value in vars(_own).items() if not name.startswith("_")}})
"""


def read(raw: bytes, path: Path) -> SubmissionFiles:
    """Make a submission of one ``.py`` file.

    A file with the name of a module of the contract is that module. Any other holds everything: it keeps its name, so
    that tracebacks show it, and each module of the contract hands out what it defines.

    Args:
        raw: at least one byte more than is allowed, when the file is too large.

    Raises:
        SubmissionError: too large, or no source text.
    """
    require_file_size(len(raw), path.name)
    place = module_place(path.name)
    if place:
        files, notes = decode_all({place: raw})
        return SubmissionFiles(path.name, files, notes=notes)
    own = own_module(path.stem, "submission")
    files, notes = decode_all({f"{PACKAGE}/{own}.py": raw})
    return SubmissionFiles(path.name, {**files, **shims(own, files)}, notes=notes)


def module_place(name: str) -> str | None:
    """Where a lone file belongs that has the name of a module of the contract."""
    stem, suffix = posixpath.splitext(name)
    return f"{PACKAGE}/{stem}.py" if suffix.casefold() == ".py" and stem in MODULES else None


def own_module(stem: str, otherwise: str) -> str:
    """The name under which a file that holds everything is imported: its own, if an import statement can say that."""
    is_free = stem.isidentifier() and not keyword.iskeyword(stem) and stem not in MODULES and not stem.startswith("_")
    return stem if is_free else otherwise


def shims(own: str, files: Mapping[str, str]) -> dict[str, str]:
    """The contract's modules that are not in ``files``, each with all public names of module ``own``.

    No ``import *``: an ``__all__`` in the file, written for another purpose, would hide the rest.
    """
    places = (f"{PACKAGE}/{module}.py" for module in MODULES)
    return {place: _SHIM.format(own=own) for place in places if place not in files}
