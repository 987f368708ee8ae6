"""Which failed checks say nothing of their own code, because what it calls does not run at all.

A module that cannot be imported, a function that is not written yet, raises or hangs whatever it is asked: the checks
of that function say so. A whole that ends in it has shown neither that it is right nor that it is wrong: it is
``blocked``, which earns nothing and is no second mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.contract import AREAS, MODULE_OF, PACKAGE, inner_names
from grader.errors import Outcome
from grader.report.models import CheckResult, Finding
from grader.transcript import Transcript

_LOST = (Outcome.TIMEOUT, Outcome.CRASH, Outcome.OOM, Outcome.OUTPUT_LIMIT, Outcome.PROTOCOL)
_IMPORT = ("submission.import", "submission.syntax", "submission.missing-module")
_ABSENT = re.compile(rf"No module named '{PACKAGE}\.(\w+)'")
_MISSING = re.compile(rf"cannot import name '(\w+)' from '{PACKAGE}\.(\w+)'")


def mark_blocked(results: Sequence[CheckResult], transcripts: Mapping[str, Sequence[Transcript]]) -> None:
    """Turn failures of checks that could not get past a name that does not run into ``blocked``, with that name."""
    run = _Run(results, transcripts)
    found = {result.id: run.culprits(result) for result in results if not result.advice}
    for result in results:
        names = found.get(result.id)
        if names:
            result.outcome, result.blocked_by = Outcome.BLOCKED, names


@dataclass
class _Run:
    results: Sequence[CheckResult]
    transcripts: Mapping[str, Sequence[Transcript]]

    def __post_init__(self) -> None:
        every = [transcript for transcripts in self.transcripts.values() for transcript in transcripts]
        asked = set[str]().union(*(one.asked for one in every))
        answered = set[str]().union(*(one.answered for one in every))
        self.stuck = (asked - answered) & set(MODULE_OF)

    def own(self, result: CheckResult) -> set[str]:
        """What a check is about."""
        names = set(AREAS.get(result.id.partition(".")[0], ()))
        asked = set[str]().union(*(one.asked for one in self.transcripts.get(result.id, ())))
        return names & asked or names

    def culprits(self, result: CheckResult) -> list[str]:
        """The names that do not run and kept this check from its verdict; none when its own code failed."""
        own, finding = self.own(result), result.finding
        if result.outcome in _LOST and not self._called(result):
            return []  # lost while its own module was imported
        if result.outcome in _LOST:
            alike = {name for name in self._inside(own) & self.stuck if self._ends_alike(name, result.outcome)}
            found = {name for name in alike if not inner_names(name) & alike}  # the innermost, which the others call
        elif result.outcome is not Outcome.STUDENT_ERROR or finding is None:
            return []
        elif finding.message in _IMPORT:
            found = _not_importable(finding) - {name for one in own for name in _names_in(MODULE_OF[one])}
        else:
            possible = self._inside(own) & self.stuck
            found = next((names & possible for names in _on_the_way(finding) if names & possible), set[str]())
        return [name for name in MODULE_OF if name in found & self.stuck and name not in own]

    def _called(self, result: CheckResult) -> bool:
        return any(one.exchanges or not one.complete for one in self.transcripts.get(result.id, ()))

    def _inside(self, own: set[str]) -> set[str]:
        return set[str]().union(*(inner_names(name) for name in own))

    def _ends_alike(self, name: str, outcome: Outcome) -> bool:
        return any(name in self.own(result) and result.outcome is outcome for result in self.results)


def _names_in(module: str) -> set[str]:
    return {name for name, where in MODULE_OF.items() if where == module}


def _not_importable(finding: Finding) -> set[str]:
    """What cannot be had because its module cannot be imported, or does not have it."""
    detail = str(finding.arguments.get("detail", ""))
    missing = _MISSING.search(detail)
    if missing:
        return {missing[1]} & _names_in(missing[2])
    absent = _ABSENT.search(detail)
    file = str(finding.arguments.get("file") or (finding.frames[-1].file if finding.frames else ""))
    return _names_in(absent[1] if absent else _module_of(file))


def _on_the_way(finding: Finding) -> Iterator[set[str]]:
    """What was called, then what the traceback runs through from the inside; methods are known by their file."""
    yield {str(finding.arguments.get("name"))}
    for frame in reversed(finding.frames):
        if frame.function in MODULE_OF:
            yield {frame.function}
        else:
            yield {name for name in _names_in(_module_of(frame.file)) if name[0].isupper()}


def _module_of(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".py")
