"""One report from those of several devices: a check passes where it passes on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from grader.devices import spelled
from grader.errors import Outcome
from grader.report.models import CheckResult, NamedMistake, Report

_NO_VERDICT = (Outcome.GRADER_ERROR, Outcome.NOT_RUN)


def on_all_devices(reports: Sequence[Report]) -> Report:
    """Merge reports on one submission with one seed, a report a device, in the order in which devices were named.

    Points follow from the merged outcomes. What the first device found is what is shown of a check that fails on
    several; the others stand in ``devices``.
    """
    first, *others = reports
    if not others:
        return first
    devices = [report.device for report in reports]
    checks = [
        _merged(dict(zip(devices, results, strict=True)))
        for results in zip_longest(*(report.checks for report in reports))
    ]
    return first.model_copy(
        update={
            "device": spelled(devices),
            "trusted": all(report.trusted for report in reports),
            "error": _said([(report.device, report.error) for report in reports]),
            "naming_error": _said([(report.device, report.naming_error) for report in reports]),
            "examples_error": _said([(report.device, report.examples_error) for report in reports]),
            "mistakes": _mistakes(reports, checks),
            "checks": checks,
            "timing": first.timing.model_copy(
                update={
                    "total": sum(report.timing.total for report in reports),
                    "diagnosis": sum(report.timing.diagnosis for report in reports),
                    "checks": {
                        check.id: sum(report.timing.checks.get(check.id, 0.0) for report in reports)
                        for check in checks
                        if any(check.id in report.timing.checks for report in reports)
                    },
                }
            ),
        }
    )


def _merged(results: dict[str, CheckResult]) -> CheckResult:
    """One check on all devices."""
    device = _deciding(results)
    chosen = results[device]
    finding = None if chosen.finding is None else chosen.finding.model_copy(update={"device": device})
    return chosen.model_copy(
        update={
            "max_points": max(result.max_points for result in results.values()),
            "finding": finding,
            "devices": {name: result.outcome for name, result in results.items()},
        }
    )


def _deciding(results: dict[str, CheckResult]) -> str:
    """The device whose result stands for all: one without a verdict, else the first that fails, else one that ran."""

    def first(*outcomes: Outcome) -> str | None:
        return next((name for name, result in results.items() if result.outcome in outcomes), None)

    neutral = (Outcome.SKIPPED, Outcome.PASS, Outcome.CARRIED_FORWARD, *_NO_VERDICT)
    failing = [outcome for outcome in Outcome if outcome not in neutral and outcome is not Outcome.BLOCKED]
    order = (_NO_VERDICT, failing, [Outcome.BLOCKED], [Outcome.CARRIED_FORWARD], [Outcome.PASS], [Outcome.SKIPPED])
    return next(name for name in (first(*outcomes) for outcomes in order) if name is not None)


def _mistakes(reports: Sequence[Report], checks: Sequence[CheckResult]) -> list[NamedMistake]:
    """Each once, with the checks whose finding is shown and names it."""
    naming = {check.id: check.finding.mistakes for check in checks if check.finding is not None}
    found = {mistake.id: mistake for report in reports for mistake in report.mistakes}
    in_order = dict.fromkeys(mistake.id for report in reports for mistake in report.mistakes)
    merged = [
        found[id].model_copy(update={"checks": [check for check, named in naming.items() if id in named]})
        for id in in_order
    ]
    return [mistake for mistake in merged if mistake.checks]


def _said(errors: Sequence[tuple[str, str | None]]) -> str | None:
    told = [f"{device}: {error}" for device, error in errors if error is not None]
    return "; ".join(told) or None
