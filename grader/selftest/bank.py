"""The bank of submissions whose verdict is known, read from a folder; its format is described in the bank's README."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.intake.read import read
from grader.intake.submission import SubmissionFiles

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BASE = "plain"


@dataclass(frozen=True)
class BankEntry:
    """One submission of the bank.

    Attributes:
        kind: ``correct`` (every point), ``advice`` (every point), ``wrong`` (one mistake) or ``pair`` (two mistakes).
        faults: ids of the mistakes that are in it.
        killed_by: checks that must fail.
    """

    name: str
    kind: str
    submission: SubmissionFiles
    faults: frozenset[str] = frozenset()
    killed_by: frozenset[str] = frozenset()

    @property
    def area(self) -> str:
        """The first word of its mistake, or of its name."""
        return min(self.faults, default=self.name).partition(".")[0].partition("_")[0]


class Bank:
    """Reads entries from ``root``. Raises UsageError when there is no bank."""

    def __init__(self, root: Path) -> None:
        if not (root / "correct" / BASE).is_dir():
            raise UsageError(f"no bank of submissions in {root}")
        self._root = root
        self.base = read(root / "correct" / BASE)

    def correct(self) -> Iterator[BankEntry]:
        """Whole correct submissions, then single-file variants of the base."""
        for path in sorted((self._root / "correct").iterdir()):
            if path.is_dir():
                yield BankEntry(path.name, "correct", read(path))
        for path in sorted((self._root / "correct_parts").glob("*.py")):
            yield BankEntry(path.stem, "correct", self._appended(path.stem, [path]))

    def advice(self) -> Iterator[BankEntry]:
        """Habits that are advised against and cost nothing."""
        yield from self._single("advice", "advice")

    def wrong(self) -> Iterator[BankEntry]:
        """Single mistakes."""
        yield from self._single("wrong", "wrong")

    def pairs(self) -> Iterator[BankEntry]:
        """Two mistakes at once: two files of ``wrong`` together, or one file that holds both."""
        listed = self._root / "pairs.toml"
        if listed.exists():
            for first, second in tomllib.loads(listed.read_text("utf-8"))["pairs"]:
                paths = [self._root / "wrong" / f"{name}.py" for name in (first, second)]
                faults = frozenset(_constant(path, "FAULT") for path in paths)
                name = f"{first}+{second}"
                yield BankEntry(name, "pair", self._appended(name, paths), faults)
        for path in sorted((self._root / "pairs").glob("*.py")):
            submission = self._appended(path.stem, [path])
            yield BankEntry(path.stem, "pair", submission, frozenset(_constant(path, "FAULTS")))

    def _single(self, folder: str, kind: str) -> Iterator[BankEntry]:
        for path in sorted((self._root / folder).glob("*.py")):
            fault, killed_by = _constant(path, "FAULT"), _constant(path, "KILLED_BY")
            submission = self._appended(path.stem, [path])
            yield BankEntry(path.stem, kind, submission, frozenset([fault]), frozenset(killed_by))

    def _appended(self, name: str, paths: list[Path]) -> SubmissionFiles:
        """The base with each file's text appended to the module that it changes."""
        files = dict(self.base.files)
        for path in paths:
            target = _constant(path, "MUTATES", "VARIES")
            files[target] += "\n\n" + path.read_text("utf-8")
        return SubmissionFiles(name, files)


def _constant(path: Path, *names: str) -> Any:
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in names:
            # set() has no literal
            return frozenset() if isinstance(node.value, ast.Call) else ast.literal_eval(node.value)
    raise UsageError(f"{path.name} has no {' or '.join(names)}")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))
