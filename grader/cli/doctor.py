"""``grader doctor``: one table of what holds here, and the same as JSON."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader import settings
from grader.catalogue import all_checks
from grader.cli.check import runner_on_gpu
from grader.doctor import engine, gpu, host
from grader.doctor.limits import Finding
from grader.errors import UsageError
from grader.text import clean

DOES_NOT_HOLD = 1
_SIGNS = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("", "")}


def run(assignment: Path | None, target: Path | None, console: Console) -> int:
    """Look, print and write; 1 when something that should hold does not."""
    loaded = settings.load(assignment, all_checks())
    there, holding = engine.findings(loaded.docker.for_runner())
    sections = {
        "machine": host.findings(),
        "gpu": gpu.findings(lambda one: runner_on_gpu("local", loaded, one)),
        "engine": there,
        "container": holding,
    }
    console.print(_table(sections))
    if target is not None:
        _write(sections, target)
    return DOES_NOT_HOLD if any(row.holds is False for rows in sections.values() for row in rows) else 0


def _table(sections: dict[str, list[Finding]]) -> Table:
    table = Table(title="What holds on this machine")
    for name in ("", "what", "wanted", "found", "holds"):
        table.add_column(name, overflow="fold")
    for section, rows in sections.items():
        for row in rows:
            word, style = _SIGNS[row.holds]
            table.add_row(section, Text(row.name), Text(row.wanted), Text(clean(row.found)), Text(word, style=style))
        table.add_section()
    return table


def _write(sections: dict[str, list[Finding]], target: Path) -> None:
    found = {section: [dataclasses.asdict(row) for row in rows] for section, rows in sections.items()}
    try:
        target.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"the findings cannot be written to {target}: {error.strerror}") from None
