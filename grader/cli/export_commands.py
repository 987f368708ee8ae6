"""The arguments of ``grader export``, ``grader package`` and ``grader report``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from grader.cli import console
from grader.cli.language import from_locale
from grader.cli.options import AssignmentOption, LanguageOption

FormatName = Enum(  # type: ignore[misc]  # the names have hyphens, so that no class can be written with them
    "FormatName",
    {
        name: name
        for name in (
            *("gradescope", "prairielearn", "classroom50", "junit", "ctrf", "github-summary"),
            *("lms-template", "feedback-zip", "similarity"),
        )
    },
    type=str,
)
package_app = typer.Typer(help="Complete packages for graders' platforms.", no_args_is_help=True)


def export(
    source: Annotated[Path, typer.Argument(help="A report.json of `grader check`, or a folder of `grader batch`.")],
    to: Annotated[FormatName, typer.Option("--to", help="The format.")],
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer evaluates annotations, also on Python 3.10
        typer.Option("--out", "-o", help="Where to; else where the platform looks for it, or standard output."),
    ] = None,
    template: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(help="lms-template: the grade file that the learning platform exported."),
    ] = None,
    column: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option(help="lms-template: title of the column of grades, where there are several."),
    ] = None,
    feedback_column: Annotated[Optional[str], typer.Option(help="lms-template: likewise, of feedback.")] = None,  # noqa: UP045 - as above
    key_column: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option(help="lms-template: likewise, of who it is, in a file of another platform."),
    ] = None,
    out_of: Annotated[
        Optional[float],  # noqa: UP045 - as above
        typer.Option(min=0.01, help="lms-template: points that the platform gives, to convert to."),
    ] = None,
    replace_feedback: Annotated[
        bool, typer.Option("--replace-feedback", help="lms-template: also where something is written already.")
    ] = False,
    submissions: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(help="similarity: what `grader batch` graded."),
    ] = None,
    lang: LanguageOption = None,
) -> None:
    """Write a report, or a whole class, in a format of others; nothing is graded again."""
    from grader.cli.export import ExportRequest, run
    from grader.exports.lms.fill import FillRequest

    language = lang.value if lang else from_locale()
    request = ExportRequest(
        source,
        str(to.value),
        out,
        template,
        FillRequest(out_of, column, feedback_column, key_column, replace_feedback, language),
        submissions,
        language,
    )
    raise typer.Exit(run(request, console.make()))


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `grader batch` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write; made if need be.")] = Path("site"),
    lang: LanguageOption = None,
) -> None:
    """Show a class on one page: scores, checks, mistakes, who needs a human; and a page for each student."""
    from grader.cli.report import run as write_report

    raise typer.Exit(write_report(run, out, lang.value if lang else from_locale(), console.make()))


@package_app.command("gradescope")
def package_gradescope(
    out: Annotated[Path, typer.Option("--out", "-o", help="The zip to write.")] = Path("autograder.zip"),
    assignment: AssignmentOption = None,
    lang: LanguageOption = None,
) -> None:
    """Make the zip that Gradescope takes as an autograder: this grader, its reference, and two scripts."""
    from grader.cli.export import package

    raise typer.Exit(package(out, assignment, lang.value if lang else from_locale(), console.make()))


@package_app.callback()
def _package() -> None:
    """Complete packages for graders' platforms."""  # a callback, so that one command alone stays a subcommand
