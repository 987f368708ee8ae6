"""What changed between two runs of a class, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grader.batch.journal import Journal, Row
from grader.report.summary import Entry

Why = Literal["submission", "assignment", "grader", "check", "seed", "device", "image", "infrastructure", "flaky"]


@dataclass(frozen=True)
class Change:
    """One student whose grade, or state, is another.

    Attributes:
        before: None: not in the old run.
        after: None: not in the new run.
        why: what differs and may have done it; ``flaky`` alone: nothing differs.
        checks: ids whose outcome or points differ.
    """

    id: str
    before: Entry | None
    after: Entry | None
    why: tuple[Why, ...]
    checks: tuple[str, ...]


class Side:
    """One run. Raises UsageError: there is none in the folder."""

    def __init__(self, folder: Path) -> None:
        journal = Journal(folder, readonly=True)
        try:
            self.facts: Mapping[str, Any] = journal.facts()
            self.rows: dict[str, Row] = {row.id: row for row in journal.rows()}
        finally:
            journal.close()


def changes(old: Side, new: Side) -> Iterator[Change]:
    """Every student whose score, state, or outcome of a check differs, by id."""
    for id in sorted({*old.rows, *new.rows}):
        before, after = (_entry(side.rows.get(id)) for side in (old, new))
        checks = _differing(before, after)
        same = before is not None and after is not None and (before.state, before.score) == (after.state, after.score)
        if not same or checks:
            yield Change(id, before, after, _why(old, new, id, before, after, checks), checks)


def _entry(row: Row | None) -> Entry | None:
    return None if row is None else Entry.model_validate_json(row.entry)


def _differing(before: Entry | None, after: Entry | None) -> tuple[str, ...]:
    if before is None or after is None:
        return ()
    then = {cell.id: (cell.outcome, cell.points) for cell in before.checks}
    now = {cell.id: (cell.outcome, cell.points) for cell in after.checks}
    return tuple(check for check in {**then, **now} if then.get(check) != now.get(check))


def _why(
    old: Side, new: Side, id: str, before: Entry | None, after: Entry | None, checks: tuple[str, ...]
) -> tuple[Why, ...]:
    then, now = old.rows.get(id), new.rows.get(id)
    if then is None or now is None or before is None or after is None or then.submission != now.submission:
        return ("submission",)
    found: list[Why] = []
    if "infrastructure" in (before.state, after.state):
        found.append("infrastructure")
    for fact, name in (("seed", "seed"), ("device", "device"), ("image", "image"), ("core", "grader")):
        if old.facts.get(fact) != new.facts.get(fact):
            found.append(name)  # type: ignore[arg-type]  # names of Why
    if old.facts.get("settings") != new.facts.get("settings"):
        found.append("assignment")
    if any(then.checks.get(check) != now.checks.get(check) for check in {*then.checks, *now.checks} & {*checks}):
        found.append("check")
    return tuple(found) or ("flaky",)
