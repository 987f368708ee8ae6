"""The arguments of ``grader batch``, ``diff``, ``merge`` and ``replay``."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from grader.cli import console
from grader.cli.language import from_locale
from grader.cli.leave import leave
from grader.cli.options import AssignmentOption, LanguageOption, RunnerName


class EngineName(str, Enum):
    """What runs the submissions of a class side by side."""

    slots = "slots"
    dask = "dask"


def batch(
    input: Annotated[
        Path, typer.Argument(help="A folder of submissions, or the platform's .zip (Canvas, Moodle, Blackboard).")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The run's folder: reports, grades.csv, summary.json.")
    ],
    layout: Annotated[
        Optional[str],  # noqa: UP045 - typer on 3.10
        typer.Option(help="How INPUT names things: canvas, moodle, blackboard or folder; recognised without it."),
    ] = None,
    regex: Annotated[
        Optional[str],  # noqa: UP045 - typer on 3.10
        typer.Option(
            help="Any other way to name things: matches a whole path, with (?P<student_id>...) and, if wanted, "
            "first_name, last_name, email, timestamp, file."
        ),
    ] = None,
    roster: Annotated[Optional[Path], typer.Option(help="CSV of all students; has a column student_id.")] = None,  # noqa: UP045 - typer on 3.10
    jobs: Annotated[int, typer.Option(min=1, max=1024, help="Submissions at a time.")] = os.cpu_count() or 1,
    runner: Annotated[RunnerName, typer.Option(help="Where student code runs.")] = RunnerName.local,
    device: Annotated[str, typer.Option(help="Device of the submissions' tensors.")] = "cpu",
    seed: Annotated[Optional[int], typer.Option(help="Seed of all inputs, the same for everybody; else fresh.")] = None,  # noqa: UP045 - typer on 3.10
    html: Annotated[bool, typer.Option("--html/--no-html", help="Write a page for each student too.")] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in RUN_DIR.")] = False,
    shard: Annotated[Optional[str], typer.Option(metavar="I/N", help="Grade part I of N of the class only.")] = None,  # noqa: UP045 - typer on 3.10
    engine: Annotated[EngineName, typer.Option(help="Processes here, or Dask's workers here.")] = EngineName.slots,
    scheduler: Annotated[
        Optional[str],  # noqa: UP045 - typer on 3.10
        typer.Option(metavar="TCP://...", help="Address of a Dask scheduler, whose workers then grade."),
    ] = None,
    assignment: AssignmentOption = None,
    lang: LanguageOption = None,
) -> None:
    """Grade a whole class, and go on where a stopped run ended."""
    from grader.cli.batch import BatchRequest, run

    request = BatchRequest(
        input=input,
        output=output,
        layout=layout,
        regex=regex,
        roster=roster,
        jobs=jobs,
        runner=runner.value,
        device=device,
        assignment=assignment,
        seed=seed,
        page=html,
        resume=resume,
        shard=shard,
        engine=engine.value,
        scheduler=scheduler,
        language=lang.value if lang else from_locale(),
    )
    leave(run(request, console.make()))


def diff(
    old: Annotated[Path, typer.Argument(help="A run's folder.")],
    new: Annotated[Path, typer.Argument(help="Another run's folder.")],
    lang: LanguageOption = None,
) -> None:
    """List whose grade changed between two runs of a class, and why."""
    from grader.cli.diff import run

    leave(run(old, new, lang.value if lang else from_locale(), console.make()))


def merge(
    runs: Annotated[list[Path], typer.Argument(help="The folders of all parts.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the whole run.")],
    lang: LanguageOption = None,
) -> None:
    """Make one run out of the parts that --shard graded."""
    from grader.cli.merge import run

    leave(run(runs, output, lang.value if lang else from_locale(), console.make()))


def replay(
    report: Annotated[Path, typer.Argument(help="A report.json.")],
    submission: Annotated[
        Optional[Path],  # noqa: UP045 - typer on 3.10
        typer.Argument(help="What it is about; not needed in a run's folder, which kept the sources."),
    ] = None,
    assignment: AssignmentOption = None,
    lang: LanguageOption = None,
) -> None:
    """Grade the same submission with the same seed again, and say what differs; exit code 1 when something does."""
    from grader.cli.replay import run

    leave(run(report, submission, assignment, lang.value if lang else from_locale(), console.make()))
