"""The summary and the grades of a whole run, from its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grader.batch import outputs
from grader.batch.digests import assignment_digest
from grader.batch.journal import Journal
from grader.catalogue import all_checks
from grader.devices import CPU, gpus_in, parse
from grader.feedback import messages
from grader.report.models import Environment
from grader.report.summary import CheckColumn, Entry, Health, Shard, Summary
from grader.settings import Settings


def write_outputs(
    folder: Path,
    journal: Journal,
    settings: Settings,
    entries: Callable[[], Iterator[str]],
    health: Health,
    *,
    skipped: dict[str, dict[str, str]],
    language: str,
) -> None:
    """Write summary.json and grades.csv of a run. Raises OSError."""
    facts = journal.facts()
    devices = parse(facts["device"])
    checks = columns(settings, devices)
    head = Summary(
        assignment=settings.assignment.title,
        assignment_digest=assignment_digest(settings),
        input=facts["input"],
        layout=facts["layout"],
        seed=facts["seed"],
        runner=facts["runner"],
        trusted=facts.get("trusted", False),
        isolation=facts.get("isolation", ""),
        device=facts["device"],
        environment=_environment(facts.get("environment")),
        max_score=settings.most(devices),
        checks=checks,
        mistakes=facts.get("mistakes", {}),
        submissions=[],
        skipped=skipped,
        shard=None if facts.get("shard") is None else Shard.model_validate(facts["shard"]),
        health=health,
    )
    outputs.write_summary(folder, head, entries())
    read_back = (Entry.model_validate_json(entry) for entry in entries())
    outputs.write_grades(folder, read_back, [check.id for check in checks], language)


def columns(settings: Settings, devices: Sequence[str] = (CPU,)) -> list[CheckColumn]:
    """The assignment's checks; those that need a GPU where there is one."""
    worth = settings.worth if gpus_in(devices) else settings.points
    return [
        CheckColumn(
            id=check,
            section=info.section,
            title={language: messages.title(check, info.title, language) for language in messages.LANGUAGES},
            advice=info.advice,
            hidden=settings.is_hidden(check),
            max_points=worth[check],
        )
        for check, info in all_checks().items()
        if check in worth
    ]


def _environment(known: dict[str, object] | None) -> Environment:
    if known is not None:
        return Environment.model_validate(known)
    from grader.report import environment  # imports torch: only when no slot has said where it runs

    return environment.current()
