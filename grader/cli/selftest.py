"""``grader selftest``: run the bank, print the figures, compare them with earlier ones."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pydantic
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from grader import settings
from grader.catalogue import all_checks
from grader.errors import UsageError
from grader.runners.local import LocalRunner
from grader.selftest import run as bank_run
from grader.selftest.figures import Figures, Graded, Share, summarise

WORSE = 1


@dataclass(frozen=True)
class SelftestRequest:
    """The command's arguments."""

    bank: Path
    seeds: int
    jobs: int
    kinds: list[str]
    json: Path | None
    html: Path | None
    baseline: Path | None


def run(request: SelftestRequest, console: Console) -> int:
    """Run and print; 1 when a figure is worse than the baseline's, or when anything was not graded."""
    before = _read(request.baseline) if request.baseline else None
    wanted = bank_run.tasks(request.bank, range(1, request.seeds + 1), request.kinds)
    began = time.monotonic()
    graded = _graded(wanted, request.jobs, console)
    loaded = settings.load(None, all_checks())
    figures = summarise(graded, loaded.points)
    _print(console, figures)
    console.print(f"{len(graded)} runs in {time.monotonic() - began:.0f} s")
    if request.json:
        request.json.write_text(figures.model_dump_json(indent=2) + "\n", "utf-8")
    if request.html:
        from grader.selftest.matrix import to_html

        checks = [check for check, info in all_checks().items() if not info.advice]
        request.html.write_text(to_html(graded, checks), "utf-8")
    worse = figures.worse_than(before) if before else []
    for name in worse:
        console.print(Text(f"worse than {request.baseline}: {name}", style="red"))
    return WORSE if worse or figures.errors else 0


def _graded(wanted: list[bank_run.Task], jobs: int, console: Console) -> list[Graded]:
    columns = (TextColumn("grading the bank"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=len(wanted))
        graded = []
        for one in bank_run.run(wanted, jobs, LocalRunner):
            graded.append(one)
            progress.advance(bar)
    return sorted(graded, key=lambda one: (one.kind, one.name, one.seed))


def _print(console: Console, figures: Figures) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("figure", "count", "share", "95 % interval"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for area, share in figures.detection.items():
        _row(table, f"detected: {area}", share)
    _row(table, "false fails", figures.false_fails)
    _row(table, "single mistakes: right name", figures.right_name)
    _row(table, "single mistakes: wrong name", figures.wrong_name)
    _row(table, "pairs: both names", figures.both_names)
    console.print(table)
    console.print(f"points lost by a single mistake / its own points: {figures.multiplicity:.2f}")
    console.print(f"slowest diagnosis: {figures.slowest_diagnosis:.2f} s a failed check")
    for title, entries in (
        ("missed", dict.fromkeys(figures.missed, "")),
        ("false fails", {name: ", ".join(checks) for name, checks in figures.falsely_failed.items()}),
        ("without the right name", {name: ", ".join(named) or "none" for name, named in figures.unnamed.items()}),
        ("not graded", figures.errors),
    ):
        if entries:
            console.print(Text(f"\n{title}", style="bold"))
            for name, detail in entries.items():
                console.print(Text(f"  {name}  {detail}"))


def _row(table: Table, name: str, share: Share) -> None:
    if share.total:
        low, high = share.interval
        table.add_row(name, f"{share.count}/{share.total}", f"{share.share:.1%}", f"{low:.1%} .. {high:.1%}")


def _read(path: Path) -> Figures:
    try:
        text = path.read_text("utf-8")
        return Figures.model_validate_json(_without_intervals(text))
    except (OSError, pydantic.ValidationError) as error:
        raise UsageError(f"cannot read earlier figures from {path}: {error}") from None


def _without_intervals(text: str) -> str:
    """The same figures without what is computed from them."""
    import json

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key != "interval"}
        return value

    return json.dumps(strip(json.loads(text)))
