"""Commands and their arguments. Exit codes: 0 graded, 1 below --fail-under, 2 wrong usage, 3 not graded (our fault)."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, NoReturn, Optional

import typer
from rich.console import Console

from grader.catalogue import all_checks
from grader.cli import console, show
from grader.cli.class_commands import batch, diff, merge, replay
from grader.cli.export_commands import export, package_app, report
from grader.cli.language import from_locale
from grader.cli.leave import leave
from grader.cli.offered import leave_out_what_is_not_here
from grader.cli.options import AssignmentOption, LanguageOption, RunnerName
from grader.errors import GraderError, UsageError

USAGE, NOT_GRADED = 2, 3
KINDS = ("correct", "advice", "wrong", "pair")

app = typer.Typer(
    name="grader",
    help="Grade Assignment 1: LayerNorm, RMSNorm, RoPE, KV cache, GQA, SwiGLU, pre-norm blocks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

image_app = typer.Typer(help="The image that the docker runner uses.", no_args_is_help=True)
app.add_typer(image_app, name="image")
app.add_typer(package_app, name="package")


kit_app = typer.Typer(help="What students get: the public checks with an answer key.", no_args_is_help=True)
app.add_typer(kit_app, name="kit")


@app.command()
def check(
    path: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Argument(
            help="The submission: a folder that holds assignment1/, an archive of one, a .py or an .ipynb. "
            "Without it: the folder here or above."
        ),
    ] = None,
    json: Annotated[Optional[Path], typer.Option("--json", help="Write report.json here.")] = None,  # noqa: UP045 - typer on 3.10
    html: Annotated[Optional[Path], typer.Option("--html", help="Write a page with pictures here.")] = None,  # noqa: UP045 - typer on 3.10
    seed: Annotated[Optional[int], typer.Option(help="Seed of all inputs; fresh without it.")] = None,  # noqa: UP045 - typer on 3.10
    only: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option(
            "--only", help="A check id, an area (rope), a pattern (gqa.cache-*) or a section (4.4). Repeatable."
        ),
    ] = None,
    runner: Annotated[RunnerName, typer.Option(help="Where student code runs.")] = RunnerName.local,
    device: Annotated[str, typer.Option(help="Device of the submission's tensors.")] = "cpu",
    fail_under: Annotated[Optional[int], typer.Option(help="Exit with 1 when the score is below N.")] = None,  # noqa: UP045 - typer on 3.10
    watch: Annotated[
        bool, typer.Option("--watch", help="Then grade again whenever a file changes, what failed first. Ctrl-C ends.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show what the assignment keeps from students too, here and in --html.")
    ] = False,
    for_students: Annotated[
        bool, typer.Option("--for-students", help="Write to --json only what students may see.")
    ] = False,
    assignment: AssignmentOption = None,
    lang: LanguageOption = None,
) -> None:
    """Grade one submission and say why."""
    from grader.cli.check import CheckRequest, run

    language = lang.value if lang else from_locale()
    request = CheckRequest(
        path,
        json,
        html,
        seed,
        only or [],
        runner.value,
        device,
        fail_under,
        assignment,
        language,
        full=full,
        for_students=for_students,
    )
    if watch:
        from grader.cli.watch import run as run_and_watch

        leave(run_and_watch(request, console.make()))
    leave(run(request, console.make()))


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write into; made if need be.")],
    lang: LanguageOption = None,
) -> None:
    """Start an assignment: write the template's files into a folder, and never over anything."""
    from grader.cli.init import run

    leave(run(folder, lang.value if lang else from_locale(), console.make()))


@app.command("list")
def list_checks(assignment: AssignmentOption = None, lang: LanguageOption = None) -> None:
    """List all checks with their points."""
    from grader import settings

    loaded = settings.load(assignment, all_checks())
    show.print_list(console.make(), loaded, lang.value if lang else from_locale())


@app.command()
def explain(
    id: Annotated[str, typer.Argument(help="A check's id, as `grader list` shows it.")],
    assignment: AssignmentOption = None,
    lang: LanguageOption = None,
) -> None:
    """Explain one check: the rule, the section, the worked numbers."""
    from grader import settings

    loaded = settings.load(assignment, all_checks())
    show.print_explanation(console.make(), id, loaded, lang.value if lang else from_locale())


@app.command()
def selftest(
    bank: Annotated[Path, typer.Option(help="The bank of submissions with known verdicts.")] = Path("tests/bank"),
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds for the correct submissions.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = os.cpu_count() or 1,
    kinds: Annotated[str, typer.Option(help="Of correct, advice, wrong, pair; separated by commas.")] = ",".join(KINDS),
    json: Annotated[Optional[Path], typer.Option("--json", help="Write the figures here.")] = None,  # noqa: UP045 - typer on 3.10
    html: Annotated[Optional[Path], typer.Option("--html", help="Write the matrix mistake x check here.")] = None,  # noqa: UP045 - typer on 3.10
    baseline: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(help="Earlier figures: exit with 1 when one is worse."),
    ] = None,
) -> None:
    """Prove on this machine that verdicts and names are right."""
    from grader.cli.selftest import SelftestRequest, run

    wanted = [kind.strip() for kind in kinds.split(",")]
    if not set(wanted) <= set(KINDS):
        raise UsageError(f"--kinds takes {', '.join(KINDS)}, got {kinds}")
    leave(run(SelftestRequest(bank, seeds, jobs, wanted, json, html, baseline), console.make()))


@app.command()
def doctor(
    json: Annotated[Optional[Path], typer.Option("--json", help="Write the findings here.")] = None,  # noqa: UP045 - typer on 3.10
    assignment: AssignmentOption = None,
) -> None:
    """Show what this machine has, and try every limit of the docker runner in a container."""
    from grader.cli.doctor import run

    leave(run(assignment, json, console.make()))


for command in (batch, diff, merge, replay, export, report):
    app.command()(command)


@image_app.command("build")
def build_image(
    base: Annotated[str, typer.Option(help="Base image with python3 and venv; else python:3.11-slim.")] = "",
    wheels: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(help="Folder of wheels (torch, numpy and what they need); the build then fetches nothing."),
    ] = None,
    torch_index: Annotated[str, typer.Option(help="Package index for torch; else PyTorch's CPU index.")] = "",
    pypi_index: Annotated[str, typer.Option(help="Package index for the rest; else PyPI.")] = "",
    network: Annotated[str, typer.Option(help="Network of the build, e.g. host.")] = "",
) -> None:
    """Build the worker's image for this version of the grader."""
    from grader.cli.image import run
    from grader.runners.docker.build import BuildRequest

    leave(run(BuildRequest(base, wheels, torch_index, pypi_index, network), console.make()))


@kit_app.command("build")
def build_kit(
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder, or a .zip, that is not there yet.")],
    assignment: AssignmentOption = None,
    seed: Annotated[Optional[int], typer.Option(help="Seed of the kit's inputs; fresh without it.")] = None,  # noqa: UP045 - typer on 3.10
    jobs: Annotated[Optional[int], typer.Option(min=1, help="Processes at a time; else one a core.")] = None,  # noqa: UP045 - typer on 3.10
    lang: LanguageOption = None,
) -> None:
    """Make the student kit of a course: no solution, no hidden checks."""
    from grader.cli.kit import run

    leave(run(output, assignment, seed, jobs, lang.value if lang else from_locale(), console.make()))


leave_out_what_is_not_here(app)


def main() -> NoReturn:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console that cannot show a character must not fail a run
    try:
        app()
    except UsageError as error:
        Console(stderr=True).print(f"grader: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        leave(USAGE)
    except GraderError as error:
        Console(stderr=True).print(f"not graded: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        leave(NOT_GRADED)
    except SystemExit as ended:
        leave(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except Exception:  # a mistake of ours must not end with the exit code of a low score
        traceback.print_exc()
        leave(NOT_GRADED)
    leave(0)
