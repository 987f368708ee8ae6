"""``grader list`` and ``grader explain``: the catalogue in words, without running anything."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.catalogue import CheckInfo, all_checks
from grader.cli.select import unknown
from grader.contract import TITLES
from grader.feedback.messages import title
from grader.settings import Settings


def print_list(console: Console, settings: Settings, language: str) -> None:
    """One line a check: points, id, promise; the sum at the end."""
    checks = {check: info for check, info in all_checks().items() if check in settings.points}
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("points", justify="right")
    table.add_column("check", no_wrap=True)
    table.add_column("section")
    table.add_column("promise")
    for check, info in checks.items():
        points = "advice" if info.advice else str(settings.points[check])
        table.add_row(points, check, info.section, Text(_title(info, settings, language)))
    console.print(table)
    total = sum(settings.points[check] for check in checks)
    console.print(f"{total} points in {sum(not info.advice for info in checks.values())} checks")


def print_explanation(console: Console, id: str, settings: Settings, language: str) -> None:
    """The rule with its worked numbers. Raises UsageError for an unknown id."""
    checks = all_checks()
    if id not in checks:
        raise unknown(id, checks)
    info = checks[id]
    points = settings.points.get(id)
    worth = "advice, no points" if info.advice else "does not run" if points is None else f"{points} point(s)"
    console.print(Text(f"{id}  ({worth})", style="bold"))
    console.print(Text(_title(info, settings, language)))
    console.print(Text(f"\nSection {info.section}: {TITLES[info.section]}", style="cyan"))
    if info.detail and not settings.is_hidden(id):
        console.print(Text("\n" + textwrap.dedent(info.detail)))
    console.print(Text(f"\nRun it alone: grader check --only {id}"))


def _title(info: CheckInfo, settings: Settings, language: str) -> str:
    if settings.is_hidden(info.id):
        return f"hidden check of section {info.section}"
    return title(info.id, info.title, language)
