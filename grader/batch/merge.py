"""One run out of the parts that several machines graded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.batch import outputs
from grader.batch.journal import Journal
from grader.batch.whole import write_outputs
from grader.errors import UsageError
from grader.report import summary
from grader.report.summary import Health, Summary
from grader.settings import Settings

_SAME = {
    "title": "assignments",
    "settings": "settings of the assignment",
    "seed": "seeds",
    "runner": "runners",
    "device": "devices",
    "image": "images",
    "core": "versions of the grader",
}


@dataclass(frozen=True)
class Part:
    """A run to be merged."""

    folder: Path
    facts: dict[str, Any]
    summary: Summary


def merge(folders: Sequence[Path], target: Path, *, language: str) -> Summary:
    """Write one run's folder; returns its summary, for printing.

    Raises:
        UsageError: the parts do not belong together, one is missing or not finished, two grade one student differently,
            or the target is not empty.
        OSError: it cannot be written.
    """
    parts = [_part(folder) for folder in folders]
    first = parts[0]
    for part in parts[1:]:
        for fact, words in _SAME.items():
            if part.facts.get(fact) != first.facts.get(fact):
                raise UsageError(f"{first.folder} and {part.folder} have different {words}, so they are not one class")
    _must_be_whole(parts)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise UsageError(f"{target} is not empty; give a new folder")
    journal = Journal(target, create=True)
    try:
        for part in parts:
            _take(part, target, journal)
        mistakes = {id: text for part in parts for id, text in part.facts.get("mistakes", {}).items()}
        journal.set_facts(**{**first.facts, "mistakes": mistakes, "shard": None, "starts": 1})
        skipped = {path: why for part in parts for path, why in part.summary.skipped.items()}
        settings = Settings.model_validate(first.facts["settings"])
        write_outputs(
            target, journal, settings, lambda: _entries(journal), _health(parts), skipped=skipped, language=language
        )
    finally:
        journal.close()
    return summary.from_json((target / summary.SUMMARY_FILE).read_text("utf-8"))


def _part(folder: Path) -> Part:
    journal = Journal(folder, readonly=True)
    try:
        facts = journal.facts()
    finally:
        journal.close()
    try:
        read = summary.from_json((folder / summary.SUMMARY_FILE).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} has no summary that can be read, finish it with --resume first: {error}") from None
    return Part(folder, facts, read)


def _must_be_whole(parts: Sequence[Part]) -> None:
    shards = [part.summary.shard for part in parts]
    known = [shard for shard in shards if shard is not None]
    if known and len(known) < len(parts):
        raise UsageError("some of these runs are parts of a class and some are not")
    counts = {shard.count for shard in known}
    if len(counts) > 1:
        raise UsageError(f"the class was divided differently: into {' and '.join(map(str, sorted(counts)))} parts")
    for count in counts:
        missing = sorted(set(range(1, count + 1)) - {shard.index for shard in known})
        if missing:
            raise UsageError(f"missing of {count} parts: {', '.join(map(str, missing))}")


def _take(part: Part, target: Path, journal: Journal) -> None:
    source = Journal(part.folder, readonly=True)
    try:
        for row in source.rows():
            other = journal.row(row.id)
            if other is not None and (other.submission, other.report) != (row.submission, row.report):
                raise UsageError(f"{row.id} is graded twice, and not alike; the second time in {part.folder}")
            if other is not None:
                continue
            _copy(part.folder / outputs.REPORTS / row.id, target / outputs.REPORTS / row.id)
            journal.finish(row, start=1, sources=source.sources(row.submission) if row.submission else None)
    finally:
        source.close()


def _copy(source: Path, target: Path) -> None:
    """A report and its page; nothing else that lies there."""
    for name in ("report.json", "report.html"):
        if (source / name).is_file():
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


def _entries(journal: Journal) -> Iterator[str]:
    return (row.entry for row in journal.rows())


def _health(parts: Sequence[Part]) -> Health:
    healths = [part.summary.health for part in parts]
    return Health(
        started=min(health.started for health in healths),
        seconds=max(health.seconds for health in healths),
        jobs=sum(health.jobs for health in healths),
        engine="merged",
        resumed=sum(health.resumed for health in healths),
        regraded=sum(health.regraded for health in healths),
        retries=sum(health.retries for health in healths),
        quarantined=sorted({id for health in healths for id in health.quarantined}),
        starts=max(health.starts for health in healths),
    )
