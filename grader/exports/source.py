"""What is exported: one report, or a run over a class. Every text is cleaned again: the file may come from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from grader.errors import UsageError
from grader.exports import told
from grader.feedback import messages
from grader.report import json_file, summary
from grader.report.models import Report
from grader.report.summary import Entry, Summary
from grader.text import clean

_MOST_BYTES = 64 << 20
"""Of one report.json: a hundred times the largest that the grader writes."""
_MOST_SUMMARY_BYTES = 2 << 30
_MOST_TEXT = 20_000
_PIECE = 1 << 20
_ODD_ESCAPE = re.compile(r"""(?<!\\)(?:\\\\)*\\[^"\\/nt]""")
"""Of JSON: a character that is not written as itself, and is no end of a line or tab."""


@dataclass(frozen=True)
class Run:
    """A graded class.

    Attributes:
        folder: holds ``summary.json`` and what that file names.
    """

    folder: Path
    summary: Summary

    def report(self, entry: Entry) -> Report | None:
        """The entry's report; None when it has none. Raises UsageError when the file is missing or is no report."""
        return None if entry.report is None else read_report(self.path(entry.report))

    def reports(self) -> Iterator[tuple[Entry, Report | None]]:
        """Every entry with its report, one at a time: a class of thousands does not fit into memory.

        A report that cannot be read costs its own entry alone, which then counts as not graded through our fault.
        """
        for entry in self.summary.submissions:
            try:
                yield entry, self.report(entry)
            except UsageError as error:
                reason = dict.fromkeys(messages.LANGUAGES, str(error))
                yield entry.model_copy(update={"state": "infrastructure", "reason": reason}), None

    def path(self, relative: str) -> Path:
        """A file that the summary names. Raises UsageError for one outside the run's folder."""
        parts = PurePosixPath(relative).parts
        if not parts or ".." in parts or PurePosixPath(relative).is_absolute() or "\\" in relative or ":" in relative:
            raise UsageError(f"{self.folder / summary.SUMMARY_FILE} names a file outside its folder: {relative}")
        return self.folder.joinpath(*parts)


def read(path: Path) -> Report | Run:
    """A report.json, or the folder of a run, or its summary.json. Raises UsageError: what is wrong, in a sentence."""
    if path.is_dir():
        if (path / summary.SUMMARY_FILE).is_file():
            return read_run(path)
        if (path / "report.json").is_file():
            return read_report(path / "report.json")
        raise UsageError(f"{path} holds neither summary.json (of grader batch) nor report.json (of grader check)")
    return read_run(path.parent) if path.name == summary.SUMMARY_FILE else read_report(path)


def read_report(path: Path) -> Report:
    """One report. Raises UsageError."""
    values = _cleaned_json(_text(path, _MOST_BYTES), path)
    try:
        report = json_file.from_values(values)
        for language in messages.LANGUAGES:
            told.checks(report, language)
            told.overview(report, language)
    except ValidationError as error:
        raise UsageError(f"{path} is no report of this grader: {_first(error)}") from None
    except KeyError as error:  # a message or a language that this version does not know, or an argument less
        raise UsageError(f"{path} is a report of another version of the grader: {clean(error, 100)}") from None
    return report


def read_run(folder: Path) -> Run:
    """A run's summary. Raises UsageError."""
    path = folder / summary.SUMMARY_FILE
    text = _text(path, _MOST_SUMMARY_BYTES)
    try:
        if _is_clean(text):
            return Run(folder, summary.from_json(text))
        return Run(folder, Summary.model_validate(_cleaned_json(text, path)))
    except ValidationError as error:
        raise UsageError(f"{path} is no summary of this grader: {_first(error)}") from None


def _text(path: Path, most: int) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > most:
        raise UsageError(f"{path} is larger than any file of this grader")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid JSON: {error}") from None


def _is_clean(text: str) -> bool:
    """No text in this JSON needs cleaning: so is what the grader writes, and a class of thousands takes less time."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return (
        "::" not in text
        and "##" not in text
        and _ODD_ESCAPE.search(text) is None
        and all(piece.replace("\n", " ").replace("\t", " ").isprintable() for piece in pieces)
    )


def _cleaned_json(text: str, path: Path) -> object:
    try:
        return _cleaned(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {clean(error, 200)}") from None


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value, _MOST_TEXT)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(name, _MOST_TEXT): _cleaned(item) for name, item in value.items()}
    return value


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return clean(f"{place}: {first['msg']}" if place else first["msg"], 300)
