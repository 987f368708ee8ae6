"""``grader export`` and ``grader package``: look at the arguments, make it, write it whole or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from grader.cli.export_words import WORDS
from grader.errors import GraderError, UsageError
from grader.exports.registry import FORMATS, Format
from grader.report import files

if TYPE_CHECKING:
    from grader.exports.lms.fill import Filled, FillRequest
    from grader.exports.source import Run
    from grader.report.models import Report

_MOST_LISTED = 20
_MOST_JUNIT = 30_000_000
"""Bytes of a file that GitLab reads."""


@dataclass(frozen=True)
class ExportRequest:
    """The command's arguments."""

    source: Path
    to: str
    out: Path | None
    template: Path | None
    fill: FillRequest
    submissions: Path | None
    language: str


def run(request: ExportRequest, console: Console, environment: Mapping[str, str] = os.environ) -> int:
    """Export. Raises UsageError, and GraderError when there is no grade and the format cannot say so."""
    from grader.exports.source import Run, read

    wanted = FORMATS[request.to]
    source = read(request.source)
    if isinstance(source, Run):
        if not wanted.run:
            raise UsageError(f"{wanted.name} is made of one report; {request.source} is a run over a class")
        with _writing(request.out):
            _export_run(source, request, console)
        return 0
    if not wanted.report:
        raise UsageError(f"{wanted.name} is made of a run over a class; {request.source} is one report")
    if not source.graded and not wanted.says_not_graded:
        raise GraderError(f"nothing was written for {wanted.name}, which cannot say so: {source.error or 'unfinished'}")
    with _writing(request.out):
        _export_report(source, wanted, request, environment)
    return 0


def package(out: Path, assignment: Path | None, language: str, console: Console) -> int:
    """Make Gradescope's zip. Raises UsageError."""
    from grader import settings
    from grader.catalogue import all_checks
    from grader.exports.autograder.build import write_zip

    settings.load(assignment, all_checks())  # a mistake in it shows now, not on Gradescope
    with _writing(out), files.replacing(out) as file:
        names = write_zip(file, assignment, language)
    console.print(Text(WORDS[language]["packaged"].format(file=out, count=len(names))))
    return 0


# -- one report --------------------------------------------------------------------------------------------------


def _export_report(report: Report, wanted: Format, request: ExportRequest, environment: Mapping[str, str]) -> None:
    text = _texts(wanted.name, environment)(report, request.language)
    if wanted.name == "github-summary" and request.out is None:
        _to_github(report, request.language, environment, text)
        return
    target = request.out or _usual_place(wanted)
    if target is None:
        _print(text)
        return
    if request.out is None:
        target.parent.mkdir(parents=True, exist_ok=True)  # PrairieLearn leaves that to its graders
    files.write(text, target)
    if wanted.name == "classroom50":
        from grader.exports.github import outputs
        from grader.exports.markdown import to_markdown

        files.write(to_markdown(report, request.language), target.with_name("release-body.md"))
        _append(environment.get("GITHUB_OUTPUT"), outputs(report))


def _texts(name: str, environment: Mapping[str, str]) -> Callable[[Report, str], str]:
    """What makes a report's text; the formats are imported here, one at a time."""
    from grader.exports import classroom50, ctrf, gradescope, junit, markdown, prairielearn

    makers: dict[str, Callable[[Report, str], str]] = {
        "gradescope": lambda report, language: _json(gradescope.values(report, language)),
        "prairielearn": lambda report, language: _json(prairielearn.values(report, language)),
        "classroom50": lambda report, language: _json(classroom50.values(report, language, environment)),
        "junit": junit.to_text,
        "ctrf": ctrf.to_text,
        "github-summary": markdown.to_markdown,
    }
    return makers[name]


def _to_github(report: Report, language: str, environment: Mapping[str, str], text: str) -> None:
    """Into the step's summary, with annotations in the log; elsewhere to standard output."""
    from grader.exports.github import fenced, log_lines
    from grader.exports.markdown import MOST_BYTES, to_markdown

    in_actions = environment.get("GITHUB_ACTIONS") == "true"
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if not summary:
        _print(fenced(text) if in_actions else text)
    else:
        there = Path(summary).stat().st_size if Path(summary).exists() else 0
        _append(summary, to_markdown(report, language, room=MOST_BYTES - there))
    if in_actions:
        _print("".join(f"{line}\n" for line in log_lines(report, language)))


def _usual_place(wanted: Format) -> Path | None:
    if not wanted.file or (wanted.folder and not Path(wanted.folder).is_dir()):
        return None
    return Path(wanted.file)


# -- a class -----------------------------------------------------------------------------------------------------


def _export_run(source: Run, request: ExportRequest, console: Console) -> None:
    if request.out is None:
        raise UsageError(f"--to {request.to} of a whole class needs --out")
    words = WORDS[request.language]
    if request.to == "lms-template":
        _fill(source, request, request.out, console)
        return
    if request.to == "feedback-zip":
        from grader.exports import feedback_zip

        with files.replacing(request.out) as file:
            count = feedback_zip.write(source, file)
    elif request.to == "similarity":
        from grader.exports import similarity

        if request.submissions is None:
            raise UsageError("--to similarity needs --submissions: what `grader batch` graded; a run keeps no sources")
        written = similarity.write(source, request.submissions, request.out)
        count = written.count
        for word, who in (("not_what_was_graded", written.changed), ("not_found", written.unreadable)):
            if who:
                console.print(Text(words[word].format(count=len(who), who=_listed(who))))
    else:
        count = len(source.summary.submissions)
        _tests_of_a_class(source, request, request.out)
        if request.to == "junit" and request.out.is_file() and request.out.stat().st_size > _MOST_JUNIT:
            console.print(Text(words["large_junit"]))
    console.print(Text(words["wrote"].format(file=request.out, count=count)))


def _tests_of_a_class(source: Run, request: ExportRequest, out: Path) -> None:
    """JUnit or CTRF; JUnit into a folder is one file a submission."""
    from grader.exports import ctrf, junit

    if request.to == "junit" and (out.is_dir() or not out.suffix):
        out.mkdir(parents=True, exist_ok=True)
        for entry, report in source.reports():
            files.write(junit.entry_text(entry, report, request.language), out / f"{entry.id}.xml")
        return
    if request.to == "ctrf":
        files.write_with(lambda stream: ctrf.write_run(source.summary, source.reports(), stream, request.language), out)
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as spool:
        files.write_with(lambda stream: junit.write_run(source.reports(), stream, spool, request.language), out)


def _fill(source: Run, request: ExportRequest, out: Path, console: Console) -> None:
    from grader.exports.lms.fill import fill

    if request.template is None:
        raise UsageError("--to lms-template needs --template: the grade file that the learning platform exported")
    if out.exists() and request.template.exists() and out.samefile(request.template):
        raise UsageError(f"--out and --template name the same file, {out}; the template stays as it is")
    try:
        content = request.template.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {request.template}: {error.strerror}") from None
    filled = fill(content, request.template.name, source, request.fill)
    with files.replacing(out) as file:
        file.write(filled.content)
    for line in _told(filled, out, WORDS[request.language]):
        console.print(Text(line))


def _told(filled: Filled, out: Path, words: Mapping[str, str]) -> Iterator[str]:
    """What was filled in, and what was left alone: nobody should have to compare two files."""
    yield words["filled"].format(file=out, platform=filled.platform, grades=filled.grades, feedbacks=filled.feedbacks)
    if filled.changed:
        changes = [f"{who} {before} -> {after}" for who, before, after in filled.changed]
        yield words["changed"].format(count=len(changes), who=_listed(changes))
    for reason, who in filled.left.items():
        yield words["left"].format(count=len(who), reason=words[reason], who=_listed(who))
    if filled.without_row:
        yield words["without_row"].format(count=len(filled.without_row), who=_listed(filled.without_row))
    if filled.without_submission:
        yield words["without_submission"].format(count=filled.without_submission)


# -- writing -----------------------------------------------------------------------------------------------------


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _listed(items: Iterable[str]) -> str:
    shown = list(items)
    more = f", ... (+{len(shown) - _MOST_LISTED})" if len(shown) > _MOST_LISTED else ""
    return ", ".join(shown[:_MOST_LISTED]) + more


def _print(text: str) -> None:
    """Standard output in UTF-8, whatever the console says: another program reads it."""
    stream: IO[Any] = getattr(sys.stdout, "buffer", sys.stdout)
    stream.write(text.encode() if stream is not sys.stdout else text)
    stream.flush()


def _append(path: str | None, text: str) -> None:
    if path:
        with Path(path).open("ab") as file:
            file.write(text.encode())


@contextmanager
def _writing(out: Path | None) -> Iterator[None]:
    """What goes wrong now is the caller's to mend: no such folder, a full disk."""
    try:
        yield
    except OSError as error:
        where = error.filename or out or "standard output"
        raise UsageError(f"cannot read or write {where}: {error.strerror or error}") from None
