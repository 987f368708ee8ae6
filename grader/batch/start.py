"""Begin or resume a run in its folder, and end it with a summary, however it ended."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.digests import core_digest, digests
from grader.batch.engines import Engine
from grader.batch.entries import Planned, entry_of, planned, sentences
from grader.batch.journal import Journal
from grader.batch.run import ClassRun
from grader.batch.state import Counts, RunSettings, StoppedEarly
from grader.batch.whole import write_outputs
from grader.devices import parse
from grader.errors import UsageError
from grader.intake.bulk.handed_in import Class
from grader.intake.bulk.source import Source
from grader.report.summary import Entry, Health, Shard
from grader.settings import Settings


@dataclass(frozen=True)
class Begin:
    """What a run is asked to do.

    Attributes:
        seed: None: the one of the run that is resumed, else a fresh one.
        image: digest of the image that the runner uses; empty: it uses none.
        shard: grade only this part of the class.
    """

    folder: Path
    settings: Settings
    seed: int | None
    runner: str
    image: str
    device: str
    language: str
    page: bool
    resume: bool
    shard: Shard | None


class Started:
    """A run whose folder is open.

    Raises:
        UsageError: the folder holds another run, or something else; or --resume and there is none.
    """

    def __init__(self, begin: Begin, known: Class, source: Source, *, has_roster: bool, fresh_seed: int) -> None:
        self._begin, self._known, self._source = begin, known, source
        self.began = time.monotonic()
        self.journal = _opened(begin)
        facts = self.journal.facts()
        try:
            self.seed = _same_seed(begin, facts.get("seed"), fresh_seed)
            _must_match(begin, facts)
        except UsageError:
            self.journal.close()
            raise
        self._started = facts.get("started") or _now()
        self._earlier = float(facts.get("seconds", 0.0))
        self.start = int(facts.get("starts", 0)) + 1
        self.plans = _shard_of(planned(known.students), begin.shard)
        self._run = RunSettings(
            settings=begin.settings,
            digests=digests(
                begin.settings, runner=begin.runner, image=begin.image, device=begin.device, seed=self.seed
            ),
            seed=self.seed,
            runner=begin.runner,
            device=begin.device,
            language=begin.language,
            page=begin.page,
            max_score=begin.settings.most(parse(begin.device)),
            has_roster=has_roster,
        )
        self.journal.set_facts(
            title=begin.settings.assignment.title,
            settings=begin.settings.model_dump(mode="json"),
            seed=self.seed,
            runner=begin.runner,
            device=begin.device,
            image=begin.image,
            core=core_digest(),
            shard=None if begin.shard is None else begin.shard.model_dump(),
            input=source.name,
            layout=known.layout.name,
            started=self._started,
            starts=self.start,
        )

    def go(self, engine: Engine, tell: Callable[[Entry], None]) -> Counts:
        """Grade, and write the summary however it ended. Raises StoppedEarly, KeyboardInterrupt."""
        run = ClassRun(self._run, self._source, self._begin.folder, self.journal, engine, start=self.start, tell=tell)
        try:
            run.go(self.plans)
        except BaseException:  # whatever ended it, what is finished is written; it is raised again
            with contextlib.suppress(OSError, sqlite3.Error):  # the disk may be full; the journal has what is finished
                self._write(engine, run.counts)
            raise
        try:
            self._write(engine, run.counts)
        except (OSError, sqlite3.Error) as error:
            raise StoppedEarly(f"the summary cannot be written: {getattr(error, 'strerror', error)}") from None
        return run.counts

    def _write(self, engine: Engine, counts: Counts) -> None:
        seconds = self._earlier + time.monotonic() - self.began
        self.journal.set_facts(seconds=seconds, retries=counts.retries + int(self.journal.facts().get("retries", 0)))
        health = Health(
            started=self._started,
            seconds=round(seconds, 3),
            jobs=engine.jobs,
            engine=engine.name,
            resumed=counts.resumed,
            regraded=counts.regraded,
            retries=int(self.journal.facts()["retries"]),
            quarantined=sorted(counts.quarantined),
            starts=self.start,
        )
        write_outputs(
            self._begin.folder,
            self.journal,
            self._begin.settings,
            self._all_entries,
            health,
            skipped={
                path: sentences("batch.not-of-the-layout", layout=self._known.layout.name)
                for path in self._known.skipped
            },
            language=self._begin.language,
        )

    def _all_entries(self) -> Iterator[str]:
        """Every student of the plan as JSON, by id; those whose turn did not come too."""
        for plan in self.plans:
            row = self.journal.row(plan.id)
            if row is not None:
                yield row.entry
            else:
                yield self._not_reached(plan).model_dump_json()

    def _not_reached(self, plan: Planned) -> Entry:
        return entry_of(
            plan,
            "infrastructure",
            has_roster=self._run.has_roster,
            max_score=self._run.max_score,
            reason=sentences("batch.stopped"),
        )


def _opened(begin: Begin) -> Journal:
    folder = begin.folder
    if begin.resume:
        return Journal(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    if not is_empty:
        has_run = (folder / "journal.sqlite").is_file()
        raise UsageError(
            f"{folder} holds a run already; --resume goes on with it, another -o starts a new one"
            if has_run
            else f"{folder} is not empty; give a new folder"
        )
    return Journal(folder, create=True)


def _same_seed(begin: Begin, known: int | None, fresh: int) -> int:
    if known is not None and begin.seed is not None and known != begin.seed:
        raise UsageError(f"the run in {begin.folder} draws its inputs with seed {known}, not {begin.seed}")
    if known is not None:
        return known
    return fresh if begin.seed is None else begin.seed


def _must_match(begin: Begin, facts: dict[str, object]) -> None:
    title = facts.get("title")
    if title is not None and title != begin.settings.assignment.title:
        raise UsageError(
            f"{begin.folder} holds a run of another assignment: {title!r}, not {begin.settings.assignment.title!r}"
        )
    shard = None if begin.shard is None else begin.shard.model_dump()
    if facts and facts.get("shard") != shard:
        raise UsageError(f"{begin.folder} holds another part of the class; give the same --shard as before")


def _shard_of(plans: Sequence[Planned], shard: Shard | None) -> list[Planned]:
    """Every ``count``-th student by id, so that parts are alike in size."""
    return list(plans) if shard is None else list(plans[shard.index - 1 :: shard.count])


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
