"""The bank of submissions: correct ones, correct parts, wrong ones, pairs and advice, as files in memory."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.intake.folder import read
from grader.intake.submission import SubmissionFiles

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BANK = Path(__file__).parent / "bank"
BASE = "plain"


@dataclass(frozen=True)
class BankFile:
    """One single-file entry: appended to the module of the base submission that it changes."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def sentence(self) -> str:
        return (ast.get_docstring(_tree(self.path)) or "").splitlines()[0]

    @property
    def fault(self) -> str:
        return self._constant("FAULT")

    @property
    def killed_by(self) -> set[str]:
        return self._constant("KILLED_BY")

    @property
    def target(self) -> str:
        """The module that it changes."""
        return self._constant("MUTATES" if self.path.parent.name != "correct_parts" else "VARIES")

    @property
    def only_on_hardware(self) -> str | None:
        """Why a pretended GPU cannot show it; None: it can."""
        try:
            return self._constant("ONLY_ON_HARDWARE")
        except LookupError:
            return None

    def submission(self) -> SubmissionFiles:
        return _appended(self.name, [self])

    def _constant(self, name: str):
        for node in _tree(self.path).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
                if isinstance(node.value, ast.Call):  # set()
                    return set()
                return ast.literal_eval(node.value)
        raise LookupError(f"{self.path.name} has no {name}")


@dataclass(frozen=True)
class Pair:
    """Two mistakes at once: two files of ``wrong``, or one file of ``pairs`` that holds both.

    Attributes:
        name: the names of the two files with a + between them, or that of the one file.
        parts: the files, in the order in which they are appended.
    """

    name: str
    parts: tuple[BankFile, ...]

    @property
    def faults(self) -> set[str]:
        if len(self.parts) == 1:
            return set(self.parts[0]._constant("FAULTS"))
        return {part.fault for part in self.parts}

    def submission(self) -> SubmissionFiles:
        return _appended(self.name, self.parts)


@cache
def base() -> SubmissionFiles:
    return read(BANK / "correct" / BASE)


def correct() -> list[SubmissionFiles]:
    """Whole submissions, each in its own style."""
    return [read(path) for path in sorted((BANK / "correct").iterdir()) if path.is_dir()]


def entries(folder: str) -> list[BankFile]:
    """The single-file entries of ``wrong``, ``device``, ``advice`` or ``correct_parts``."""
    return [BankFile(path) for path in sorted((BANK / folder).glob("*.py"))]


def pairs() -> list[Pair]:
    """Two mistakes at once: those that pairs.toml lists, then the files in ``pairs``."""
    listed = tomllib.loads((BANK / "pairs.toml").read_text("utf-8"))["pairs"]
    parts = [tuple(BankFile(BANK / "wrong" / f"{name}.py") for name in names) for names in listed]
    return [Pair("+".join(part.name for part in files), files) for files in parts] + [
        Pair(file.name, (file,)) for file in entries("pairs")
    ]


def _appended(name: str, parts: Sequence[BankFile]) -> SubmissionFiles:
    """The base with the text of each file behind the module that it changes."""
    files = dict(base().files)
    for part in parts:
        files[part.target] = files[part.target] + "\n\n" + part.path.read_text("utf-8")
    return SubmissionFiles(name, files)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))
