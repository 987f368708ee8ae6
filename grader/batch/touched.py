"""A changed check is run alone, and its new verdict put into the old report, where nothing else can depend on it.

Names of mistakes, and with them what is carried forward, come from all checks together. So the rest of a report stands
only while a changed check passes as it did before. Where one fails, before or now, the submission is graded as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.report.models import CheckResult, Report


@dataclass(frozen=True)
class Touched:
    """What changed between two sets of checks.

    Attributes:
        changed: checks to be run: new ones, and those with another digest.
        removed: checks that are no longer there.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)


def touched(before: Mapping[str, str], now: Mapping[str, str]) -> Touched:
    """Compare digests by id."""
    changed = tuple(check for check, digest in now.items() if before.get(check) != digest)
    return Touched(changed, tuple(check for check in before if check not in now))


def can_be_merged(old: Report, change: Touched) -> bool:
    """Whether it is worth running the changed checks alone."""
    affected = {*change.changed, *change.removed}
    return all(_is_indifferent(check) for check in old.checks if check.id in affected)


def merged(old: Report, partial: Report, change: Touched) -> Report | None:
    """The old report with the changed checks of ``partial`` in it; None: the whole has to be graded again."""
    if not partial.graded or partial.submission.digest != old.submission.digest:
        return None
    fresh = {check.id: check for check in partial.checks}
    if set(fresh) != set(change.changed) or not all(_is_indifferent(check) for check in fresh.values()):
        return None
    kept = {check.id: check for check in old.checks if check.id not in change.removed}
    results = {**kept, **fresh}
    timing = partial.timing.model_copy(
        update={
            "started": old.timing.started,
            "total": old.timing.total + partial.timing.total,
            "diagnosis": old.timing.diagnosis,
            "checks": {**old.timing.checks, **partial.timing.checks},
        }
    )
    return old.model_copy(
        update={"checks": _in_order(results), "environment": partial.environment, "timing": timing, "selected": []}
    )


def _is_indifferent(check: CheckResult) -> bool:
    """Whether no name depends on it: it passed, or is advice."""
    return check.advice or check.outcome is Outcome.PASS


def _in_order(results: Mapping[str, CheckResult]) -> Sequence[CheckResult]:
    return [results[check] for check in all_checks() if check in results]
