"""``grader kit build``: what students get."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from grader import settings
from grader.catalogue import all_checks
from grader.errors import GraderError
from grader.sources import seed_for

WORDS = {
    "en": {
        "recording": "recording what mistakes answer",
        "built": "{path}: {checks} public checks, {hidden} more at grading, {mistakes} mistakes by name, {size:.1f} MB,"
        " seed {seed}, in {seconds:.0f} s",
        "big": "It is larger than {most:.0f} MB.",
    },
    "zh": {
        "recording": "正在记录各种错误的输出",
        "built": "{path}：公开检查 {checks} 项，另有 {hidden} 项仅在评分时运行，"
        "可指出 {mistakes} 种错误，{size:.1f} MB，种子 {seed}，用时 {seconds:.0f} 秒",
        "big": "大小超过了 {most:.0f} MB。",
    },
}


def run(
    target: Path, assignment: Path | None, seed: int | None, jobs: int | None, language: str, console: Console
) -> int:
    """Build and say what was made; returns the exit code. Raises UsageError."""
    words, began = WORDS[language], time.monotonic()
    loaded = settings.load(assignment, all_checks())
    from grader.kit import build  # torch and the models of mistakes

    build.require_free(target)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(words["recording"], total=None)

        def show(check: str, done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)
            if not console.is_terminal:
                console.print(Text(f"{done}/{total} {check}", style="dim"))

        try:
            made = build.build(target, loaded, seed_for(seed), jobs or os.cpu_count() or 1, show)
        except KeyboardInterrupt:
            raise GraderError("interrupted") from None
    told = {
        "path": target,
        "checks": made.checks,
        "hidden": made.hidden,
        "mistakes": made.mistakes,
        "size": made.size / 1e6,
        "seed": made.seed,
        "seconds": time.monotonic() - began,
    }
    console.print(Text(words["built"].format(**told)))
    if made.size > build.MOST_BYTES:
        console.print(Text(words["big"].format(most=build.MOST_BYTES / 1e6), style="yellow"))
    return 0
