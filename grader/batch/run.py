"""Grade a class: read each submission when a place is free, skip what is finished, retry what was our fault."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from grader.batch import outputs
from grader.batch.engines import Engine
from grader.batch.entries import Planned, entry_of, graded_fields, sentences
from grader.batch.journal import Journal, Row, hash_of
from grader.batch.state import Counts, Open, RunSettings, StoppedEarly
from grader.batch.supervise import result_from
from grader.batch.tasks import Result, result_of, task_of
from grader.batch.touched import Touched, can_be_merged, merged, touched
from grader.devices import gpus_in, parse
from grader.errors import SubmissionError
from grader.intake.bulk.source import Source
from grader.report import json_file
from grader.report.models import Report
from grader.report.summary import Entry

MAX_TRIES = 3
"""How often a submission is begun before it is given up as trouble of ours."""

ALL_IN_TROUBLE = 5
"""After trouble with so many submissions, and one more a place, without a grade in between, it is not theirs."""

_BEYOND = 240.0
"""Seconds that a slot may take beyond the submission's own limit: for starting, naming mistakes, the page."""


class ClassRun:
    """One start of a run.

    Args:
        start: how many starts there were, this one included.
        tell: told of every entry as it is settled.
    """

    def __init__(
        self,
        run: RunSettings,
        source: Source,
        folder: Path,
        journal: Journal,
        engine: Engine,
        *,
        start: int,
        tell: Callable[[Entry], None],
    ) -> None:
        self._run, self._source, self._folder, self._journal = run, source, folder, journal
        self._engine, self._start, self._tell = engine, start, tell
        self._settings_json = run.settings.model_dump_json()
        self._running: dict[Future[str], Open] = {}
        self._again: deque[Open] = deque()
        self._in_trouble: set[str] = set()
        self._mistakes: dict[str, dict[str, str]] = dict(journal.facts().get("mistakes", {}))
        self._knows_where = "environment" in journal.facts()
        self.counts = Counts()

    def go(self, plans: Sequence[Planned]) -> None:
        """Settle every student of the plan.

        Raises:
            StoppedEarly: the engine has gone, nothing is graded any more, or the disk is full.
        """
        try:
            waiting = self._to_grade(plans)
            is_open = True
            while is_open or self._running or self._again:
                while len(self._running) < 2 * self._engine.jobs and (is_open or self._again):
                    one = self._again.popleft() if self._again else next(waiting, None)
                    if one is None:
                        is_open = False
                    else:
                        self._submit(one)
                self._collect()
        except (OSError, sqlite3.Error) as error:
            raise StoppedEarly(f"the run's folder cannot be written: {_reason(error)}") from None

    # -- before grading -----------------------------------------------------------------------------------------

    def _to_grade(self, plans: Sequence[Planned]) -> Iterator[Open]:
        """What has to be graded; everything else is settled on the way."""
        for plan in plans:
            if plan.newest is None:
                self._settle_without(plan, "missing", sentences("batch.missing"))
                continue
            try:
                submission = plan.newest.read(self._source)
            except SubmissionError as error:
                self._settle_without(plan, "unreadable", sentences("batch.unreadable", detail=error))
                continue
            one = self._compared(Open(plan, submission, submission.digest))
            if one is not None:
                yield one

    def _compared(self, one: Open) -> Open | None:
        """The same with what an earlier start already knows; None: it is finished, and still true."""
        row = self._journal.row(one.plan.id)
        if row is None or row.state != "graded" or (row.submission, row.base) != (one.digest, self._run.digests.base):
            return one
        report = self._report(row)
        if report is None:
            return one
        change = touched(row.checks, self._run.digests.checks)
        if change:
            self.counts.regraded += 1
            return Open(
                one.plan, one.submission, one.digest, *((change, report) if can_be_merged(report, change) else ())
            )
        self.counts.resumed += 1
        self._keep(one, row)
        return None

    def _report(self, row: Row) -> Report | None:
        """The report that the row is about; None when the file is not what was written."""
        try:
            text = (self._folder / outputs.REPORTS / row.id / "report.json").read_text("utf-8")
            return json_file.from_json(text) if hash_of(text) == row.report else None
        except (OSError, ValueError):
            return None

    def _keep(self, one: Open, row: Row) -> None:
        before = Entry.model_validate_json(row.entry)
        fields = before.model_dump(
            include={"digest", "score", "checks", "mistakes", "report", "page", "seconds", "tries"}
        )
        self._finish(self._entry(one.plan, "graded", **fields), row, None)

    # -- grading ------------------------------------------------------------------------------------------------

    def _submit(self, one: Open) -> None:
        run = self._run
        one.tries += 1
        task = task_of(
            one.submission,
            settings=self._settings_json,
            seed=run.seed,
            device=run.device,
            runner=run.runner,
            selected=None if one.change is None else list(one.change.changed),
            naming=one.change is None,
            page=run.page and one.change is None,
            language=run.language,
            seconds=_turns(run.device) * (run.settings.limits.submission + run.settings.limits.start + _BEYOND),
        )
        if one.change is not None and not one.change.changed:  # a check was removed, and nothing needs to be run
            self._graded(one, None)
            return
        self._running[self._engine.submit(task.model_dump_json())] = one

    def _collect(self) -> None:
        """Wait for something to end, and settle what ended."""
        if not self._running:
            return
        done, _ = wait(self._running, timeout=2.0, return_when=FIRST_COMPLETED)
        for future in done:
            one = self._running.pop(future)
            try:
                result = result_from(future.result())
            except Exception as error:  # whatever the engine raised: it is no fault of the submission's
                result = Result(error=f"{type(error).__name__}: {error}")
            if result.error is None:
                self._graded(one, result)
            else:
                self._in_vain(one, result.error)
        gone = self._engine.is_gone()
        if gone is not None:
            raise StoppedEarly(f"what grades has gone: {gone}")

    def _graded(self, one: Open, result: Result | None) -> None:
        self._in_trouble.clear()
        if one.change is not None and one.old is not None:
            result = self._put_together(one, one.old, one.change, result)
            if result is None:  # the changed check has a say in the rest
                self._again.append(Open(one.plan, one.submission, one.digest))
                return
        assert result is not None  # noqa: S101 - only a removed check needs no result, and it was put together
        self.counts.slot_memory = max(self.counts.slot_memory, result.memory)
        report, page = outputs.write_report(self._folder, one.plan.id, result.report, result.page)
        self._learn(result)
        entry = self._entry(one.plan, "graded", report=report, page=page, tries=one.tries, **graded_fields(result))
        row = Row(
            id=one.plan.id,
            submission=one.digest,
            base=self._run.digests.base,
            checks=self._run.digests.checks,
            state="graded",
            report=hash_of(result.report),
            entry="",
        )
        self._finish(entry, row, one)

    def _put_together(self, one: Open, old: Report, change: Touched, partial: Result | None) -> Result | None:
        fresh = old.model_copy(update={"checks": []}) if partial is None else json_file.from_json(partial.report)
        whole = merged(old, fresh, change)
        if whole is None:
            return None
        page = None
        if self._run.page:
            from grader.report.page.render import to_html

            page = to_html(whole, language=self._run.language)
        return result_of(whole, json_file.to_json(whole), page)

    def _in_vain(self, one: Open, error: str) -> None:
        """Trouble of ours: try again, then give up, without a grade."""
        self._journal.note_try(one.plan.id, self._start, error)
        self._in_trouble.add(one.plan.id)
        if len(self._in_trouble) > ALL_IN_TROUBLE + self._engine.jobs:
            raise StoppedEarly(f"nothing can be graded any more; the last trouble was: {error}")
        if one.tries < MAX_TRIES:
            self.counts.retries += 1
            self._again.append(one)
            return
        self.counts.quarantined.append(one.plan.id)
        reason = sentences("batch.infrastructure", detail=error)
        self._settle_without(one.plan, "infrastructure", reason, detail=error, tries=one.tries, digest=one.digest)

    # -- after grading ------------------------------------------------------------------------------------------

    def _settle_without(self, plan: Planned, state: str, reason: dict[str, str], **fields: object) -> None:
        entry = self._entry(plan, state, reason=reason, **fields)
        self._finish(entry, Row(plan.id, "", "", {}, state, "", ""), None)

    def _entry(self, plan: Planned, state: str, **fields: object) -> Entry:
        run = self._run
        return entry_of(plan, state, has_roster=run.has_roster, max_score=run.max_score, **fields)  # type: ignore[arg-type]  # validated there

    def _finish(self, entry: Entry, row: Row, one: Open | None) -> None:
        finished = Row(row.id, row.submission, row.base, row.checks, row.state, row.report, entry.model_dump_json())
        self._journal.finish(finished, start=self._start, sources=None if one is None else one.submission.files)
        self._tell(entry)

    def _learn(self, result: Result) -> None:
        """Remember what the summary says once for all."""
        if not self._knows_where and result.environment is not None:
            self._journal.set_facts(
                environment=result.environment.model_dump(), trusted=result.trusted, isolation=result.isolation
            )
            self._knows_where = True
        new = {id: text for id, text in result.mistakes.items() if id not in self._mistakes}
        if new:
            self._mistakes.update(new)
            self._journal.set_facts(mistakes=self._mistakes)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _turns(device: str) -> int:
    """Rounds that one submission may take, one of them waiting for a GPU that another place uses."""
    devices = parse(device)
    return len(devices) + len(gpus_in(devices))
