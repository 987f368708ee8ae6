"""Grade again what a report is about, and compare: the same bytes outside ``timing``, or what differs and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.batch.journal import JOURNAL_FILE, Journal
from grader.errors import UsageError
from grader.intake.submission import SubmissionFiles
from grader.report import json_file
from grader.report.models import Report
from grader.settings import Settings


@dataclass(frozen=True)
class Difference:
    """One place where two reports differ.

    Attributes:
        path: keys and indices with dots between them; a check by its id.
    """

    path: str
    before: Any
    after: Any


def read_report(path: Path) -> Report:
    """The report. Raises UsageError."""
    try:
        return json_file.from_json(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is no report: {str(error).splitlines()[0]}") from None


def from_run(path: Path, report: Report) -> tuple[SubmissionFiles, Settings] | None:
    """The sources and settings that the run around a report kept; None: it is in no run's folder."""
    folder = path.resolve().parent.parent.parent
    if not (folder / JOURNAL_FILE).is_file():
        return None
    journal = Journal(folder, readonly=True)
    try:
        files = journal.sources(report.submission.digest)
        settings = journal.facts().get("settings")
    finally:
        journal.close()
    if files is None or settings is None:
        return None
    return SubmissionFiles(report.submission.name, files), Settings.model_validate(settings)


def differences(before: Report, after: Report) -> list[Difference]:
    """Where they differ outside ``timing``, and outside what only how it was handed in decides."""
    first, second = (_comparable(report) for report in (before, after))
    return list(_walk("", first, second))


def environment_differences(before: Report, after: Report) -> list[Difference]:
    """What may explain it: versions, the machine, where student code ran."""
    first, second = (
        {**report.environment.model_dump(), "runner": report.runner, "isolation": report.isolation}
        for report in (before, after)
    )
    return list(_walk("", first, second))


def _comparable(report: Report) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(json_file.to_json(report))
    del values["timing"], values["environment"]
    for name in ("name", "skipped", "notes"):
        del values["submission"][name]  # of the folder or archive, which may be another one with the same sources
    values["checks"] = {check["id"]: check for check in values["checks"]}
    return values


def _walk(path: str, before: Any, after: Any) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from _walk(f"{path}.{key}" if path else str(key), before.get(key), after.get(key))
    elif before != after:
        yield Difference(path, before, after)
