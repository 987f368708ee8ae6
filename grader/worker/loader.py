"""Import the submission's sources from memory: nothing is written to disk, nothing of ours or torch's is shadowed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

PACKAGE = "assignment1"


def install(files: Mapping[str, str]) -> None:
    """Make the submission importable.

    The package itself comes before everything, so that an installed copy of ``assignment1`` is not graded by mistake;
    all other student modules come after the standard library and torch, so that a ``random.py`` shadows nothing. What
    may be installed of the verifier is not importable: ``reference`` is the student's own helper or nothing. That is no
    defence (a local worker can read every file), but a solution is not called by accident.

    Args:
        files: source text by relative path with forward slashes, e.g. ``assignment1/rope.py``.
    """
    source = _Source(files)
    sys.meta_path.insert(0, _Finder(source, first=True))
    sys.meta_path.append(_Finder(source, first=False))


class _Source(importlib.abc.InspectLoader):
    """Loads modules from the sources in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)

    def find(self, name: str) -> str | None:
        """The path that holds module ``name``; a folder without ``__init__.py`` counts as a package."""
        stem = name.replace(".", "/")
        for path in (f"{stem}/__init__.py", f"{stem}.py"):
            if path in self._files:
                return path
        if any(path.startswith(f"{stem}/") for path in self._files):
            return f"{stem}/__init__.py"
        return None

    def is_package(self, name: str) -> bool:
        """Whether ``name`` is a folder."""
        return (self.find(name) or "").endswith("/__init__.py")

    def get_source(self, name: str) -> str:
        """The text of module ``name``; tracebacks and ``inspect.getsource`` read it."""
        return self._files.get(self.find(name) or "", "")

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's text in its namespace."""
        name = module.__name__
        code = compile(self.get_source(name), self.find(name) or name, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - running the submission is what this process is for


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the submission's modules; two of them stand at the two ends of ``sys.meta_path``."""

    def __init__(self, source: _Source, *, first: bool) -> None:
        self._source, self._first = source, first

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a student module, or None.

        Raises:
            ModuleNotFoundError: a name that nothing but the submission may answer, and it does not.
        """
        if _is_submission_only(name) is not self._first:
            return None
        file = self._source.find(name)
        if file is None:
            if self._first:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return None
        spec = importlib.util.spec_from_loader(
            name, self._source, origin=file, is_package=self._source.is_package(name)
        )
        if spec is not None:
            spec.has_location = True  # sets __file__, which students print and inspect reads
        return spec


def _is_submission_only(name: str) -> bool:
    first, *rest = name.split(".")
    return first in (PACKAGE, "reference") or (first == "grader" and rest[:1] not in ([], ["wire"], ["worker"]))
