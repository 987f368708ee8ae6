"""What students may see of a report: the one place that decides it, for every form in which a report is shown.

Of a hidden check: its section and whether it passed. Its id, inputs, values and mistakes stay behind, and so does the
seed, from which anyone with the grader could draw the inputs again. Of any other check: as much as its hints allow.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.feedback import explained, messages
from grader.report.models import CheckResult, Finding, NamedMistake, Report

SYMPTOM, NAME, NUMBERS = 1, 2, 3
_TITLE = {"en": "A hidden check of section {section}.", "zh": "第 {section} 节的隐藏检查。"}
_KEPT_BACK = "the grader could not finish"
_CODE_AND_WORDS = ("submission.", "call.", "errors.", "worker.")
"""Messages that speak of the submission's own code and hold none of the right values."""


def for_students(report: Report) -> Report:
    """The same report with everything left out that its settings keep from students."""
    hiding = any(check.hidden for check in report.checks)
    named = {check.id for check in report.checks if not check.hidden and check.hints >= NAME}
    checks = [_check(check, number) for number, check in enumerate(report.checks, 1)]
    hidden = {check.id for check in report.checks if check.hidden}
    timing = {check: seconds for check, seconds in report.timing.checks.items() if check not in hidden}
    return report.model_copy(
        update={
            "checks": checks,
            "mistakes": _mistakes(report.mistakes, named),
            "seed": None if hiding else report.seed,
            "selected": [check for check in report.selected if check not in hidden],
            "error": _KEPT_BACK if hiding and report.error else report.error,
            "naming_error": _KEPT_BACK if hiding and report.naming_error else report.naming_error,
            "examples_error": _KEPT_BACK if hiding and report.examples_error else report.examples_error,
            "timing": report.timing.model_copy(update={"checks": timing}),
        }
    )


def everything_shown(report: Report) -> Report:
    """The same report for those who may see everything: what is hidden from students is not hidden here."""
    return report.model_copy(update={"checks": [one.model_copy(update={"hidden": False}) for one in report.checks]})


def _check(check: CheckResult, number: int) -> CheckResult:
    if check.hidden:
        return CheckResult(
            id=f"hidden-{number}",
            section=check.section,
            title={language: text.format(section=check.section) for language, text in _TITLE.items()},
            advice=check.advice,
            hidden=True,
            hints=check.hints,
            max_points=check.max_points,
            outcome=check.outcome,
            devices=check.devices,
        )
    if check.finding is None or check.hints == NUMBERS:
        return check
    return check.model_copy(update={"finding": _finding(check.finding, check.hints)})


def _finding(finding: Finding, hints: int) -> Finding:
    """Symptom, the submission's own lines and the next step; with the name also why."""
    # without arguments a sentence holds no values: it has none, or has been through here before
    bare = finding.message.startswith(_CODE_AND_WORDS) or not finding.arguments
    symptom = {} if bare else explained.part("symptom", finding.message, finding.arguments)
    named = hints >= NAME
    return Finding(
        message=finding.message,
        arguments={},
        text=finding.text if bare else {language: symptom[language] for language in messages.LANGUAGES},
        frames=finding.frames,
        mistakes=finding.mistakes if named else [],
        why=finding.why if named else {},
        next=finding.next,
        device=finding.device,
    )


def _mistakes(mistakes: Sequence[NamedMistake], named: set[str]) -> list[NamedMistake]:
    """The mistakes that some check shows which may say so."""
    shown = [one.model_copy(update={"checks": [check for check in one.checks if check in named]}) for one in mistakes]
    return [one for one in shown if one.checks]
