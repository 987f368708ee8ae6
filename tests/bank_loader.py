"""The bank of submissions: correct ones, correct parts, wrong ones and advice, as files in memory."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.intake.folder import read
from grader.intake.submission import SubmissionFiles

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

    def submission(self) -> SubmissionFiles:
        target = self._constant("MUTATES" if self.path.parent.name != "correct_parts" else "VARIES")
        files = dict(base().files)
        files[target] = files[target] + "\n\n" + self.path.read_text("utf-8")
        return SubmissionFiles(self.name, files)

    def _constant(self, name: str):
        for node in _tree(self.path).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
                if isinstance(node.value, ast.Call):  # set()
                    return set()
                return ast.literal_eval(node.value)
        raise LookupError(f"{self.path.name} has no {name}")


@cache
def base() -> SubmissionFiles:
    return read(BANK / "correct" / BASE)


def correct() -> list[SubmissionFiles]:
    """Whole submissions, each in its own style."""
    return [read(path) for path in sorted((BANK / "correct").iterdir()) if path.is_dir()]


def entries(folder: str) -> list[BankFile]:
    """The single-file entries of ``wrong``, ``advice`` or ``correct_parts``."""
    return [BankFile(path) for path in sorted((BANK / folder).glob("*.py"))]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))
