"""From what happened in a check to what the report says: student text is cleaned here, and sentences are filled in."""

from __future__ import annotations

from grader.catalogue import CheckInfo
from grader.errors import CheckFailure
from grader.feedback import messages
from grader.report.models import CheckResult, Finding, Frame, Plain
from grader.settings import Settings
from grader.text import clean

_MAX_ARGUMENT = 1200


def not_run(info: CheckInfo, settings: Settings) -> CheckResult:
    """A check before it runs."""
    return CheckResult(
        id=info.id,
        section=info.section,
        title={language: messages.title(info.id, info.title, language) for language in messages.LANGUAGES},
        advice=info.advice,
        hidden=settings.is_hidden(info.id),
        max_points=settings.points[info.id],
    )


def finding_of(failure: CheckFailure, case: str | None) -> Finding:
    """What the report says about a failure."""
    arguments = {name: _plain(value) for name, value in failure.arguments.items()}
    return Finding(
        message=failure.message,
        arguments=arguments,
        text={language: messages.render(failure.message, arguments, language) for language in messages.LANGUAGES},
        case=case,
        evidence={name: _plain(value) for name, value in failure.evidence.items()},
        frames=[
            Frame(
                file=clean(frame.get("file"), 200),
                line=_line(frame.get("line")),
                function=clean(frame.get("function"), 100),
                text=clean(frame.get("text"), 200),
            )
            for frame in failure.frames
        ],
    )


def _plain(value: object) -> Plain:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return value
    return clean(value, _MAX_ARGUMENT)


def _line(value: object) -> int:
    return value if isinstance(value, int) else 0
