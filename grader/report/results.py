"""From what happened in a check to what the report says: student text is cleaned here, and sentences are filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from grader.catalogue import CheckInfo
from grader.errors import CheckFailure, Outcome
from grader.feedback import explained, messages
from grader.intake.submission import Note, SubmissionFiles
from grader.pictures import Picture
from grader.report.models import CheckResult, Finding, Frame, NamedMistake, Plain, Submission, SubmissionNote
from grader.settings import Settings
from grader.text import clean

_MAX_ARGUMENT = 1200
_FACT = "where: "


def not_run(info: CheckInfo, settings: Settings) -> CheckResult:
    """A check before it runs."""
    return CheckResult(
        id=info.id,
        section=info.section,
        title={language: messages.title(info.id, info.title, language) for language in messages.LANGUAGES},
        advice=info.advice,
        hidden=settings.is_hidden(info.id),
        hints=settings.hints_for(info.id),
        max_points=settings.worth[info.id],
    )


def no_device(info: CheckInfo, settings: Settings) -> CheckResult:
    """A check that needs a GPU, where there is none: shown, and worth nothing."""
    return not_run(info, settings).model_copy(update={"outcome": Outcome.SKIPPED, "max_points": 0})


def submission_of(files: SubmissionFiles) -> Submission:
    """What the report says about what was handed in."""
    return Submission(
        name=clean(files.name, 200),
        digest=files.digest,
        files=[clean(path, 200) for path in sorted(files.files)],
        skipped=[clean(path, 200) for path in files.skipped],
        notes=[_note(note) for note in files.notes],
    )


def _note(note: Note) -> SubmissionNote:
    arguments = {name: _plain(value) for name, value in note.arguments.items()}
    text = {language: messages.render(note.message, arguments, language) for language in messages.LANGUAGES}
    return SubmissionNote(message=note.message, text=text)


def sentences(message: str) -> dict[str, str]:
    """A message without placeholders, by language."""
    return {language: messages.render(message, {}, language) for language in messages.LANGUAGES}


def finding_of(failure: CheckFailure, case: str | None, *, hidden: bool = False) -> Finding:
    """What the report says about a failure; of a hidden check's inputs there are no pictures."""
    arguments = {name: _plain(value) for name, value in failure.arguments.items()}
    evidence = {name: _plain(value) for name, value in failure.evidence.items()}
    frames = [_frame(frame) for frame in failure.frames]
    facts = {name.removeprefix(_FACT): str(fact) for name, fact in evidence.items() if name.startswith(_FACT)}
    innermost = {**frames[-1].model_dump(), "function": frames[-1].function or "<module>"} if frames else None
    return Finding(
        message=failure.message,
        arguments=arguments,
        text={language: messages.render(failure.message, arguments, language) for language in messages.LANGUAGES},
        case=case,
        evidence=evidence,
        frames=frames,
        pictures=[] if hidden else [one for one in failure.pictures if isinstance(one, get_args(Picture))],
        expected=explained.part("expected", failure.message, arguments),
        got=explained.part("got", failure.message, arguments),
        where=explained.where(failure.message, arguments, innermost, facts),
        next=explained.next_step(failure.message, arguments, facts),
    )


def explain_why(results: Sequence[CheckResult], mistakes: Sequence[NamedMistake]) -> None:
    """Write into every finding why it is so, once everything has been named."""
    by_id = {mistake.id: mistake.text for mistake in mistakes}
    for result in results:
        finding = result.finding
        if finding is not None:
            finding.why = explained.why(
                finding.message,
                finding.arguments,
                mistakes=[by_id[one] for one in finding.mistakes if one in by_id],
                blocked_by=result.blocked_by,
                carried_from=result.carried_from,
            )


def _frame(frame: Mapping[str, object]) -> Frame:
    return Frame(
        file=clean(frame.get("file"), 200),
        line=_line(frame.get("line")),
        function=clean(frame.get("function"), 100),
        text=clean(frame.get("text"), 200),
    )


def _plain(value: object) -> Plain:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return value
    return clean(value, _MAX_ARGUMENT)


def _line(value: object) -> int:
    return value if isinstance(value, int) else 0
