"""From a report to the page."""

from __future__ import annotations

import functools
from importlib import resources

import jinja2
from markupsafe import Markup

from grader.report.models import Report
from grader.report.page import content
from grader.report.page.cards import Cards, clip
from grader.report.page.words import WORDS, filled
from grader.report.student_view import everything_shown, for_students

LANGUAGES = ("en", "zh")
_MOST_LISTED, _MOST_NOTED = 30, 20
"""Names of files in one list, and notes about them."""


def to_html(report: Report, *, language: str = "en", full: bool = False) -> str:
    """The page: one file, no script, nothing loaded; the same report gives the same bytes.

    Args:
        language: the one that is shown first; a reader can switch.
        full: also what the assignment keeps from students.
    """
    report = everything_shown(report) if full else for_students(report)
    return (
        _template().render(
            cards=Cards(report),
            content=content,
            report=report,
            words=WORDS,
            filled=filled,
            language=language,
            languages=LANGUAGES,
            clip=clip,
            most_listed=_MOST_LISTED,
            most_noted=_MOST_NOTED,
            style=Markup(_own("style.css")),  # noqa: S704 - our own file
        )
        + "\n"
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_own("page.html.jinja"))


@functools.cache
def _own(name: str) -> str:
    return resources.files("grader.report.page").joinpath(name).read_text("utf-8")
