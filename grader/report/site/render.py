"""From a summary to the page: one file, whose own policy allows our script and style by their hashes and no more."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

import jinja2
from markupsafe import Markup

from grader.report.page.words import Said
from grader.report.site import figures
from grader.report.site.charts import histogram, outcome_bar
from grader.report.site.data import embedded, shown_id, values
from grader.report.site.words import WORDS, worded
from grader.report.summary import Entry, Summary

LANGUAGES = ("en", "zh")
_SCRIPTS = ("words", "sort", "students", "map", "start")
_STATES = ("graded", "infrastructure", "unreadable", "missing", "unnamed", "noted")
_MOST_LISTED, _MOST_DETAIL = 50, 300


@dataclass(frozen=True)
class _Listed:
    """One submission that somebody has to look at."""

    id: str
    name: str
    page: str
    said: list[Said] = field(default_factory=list)
    detail: str = ""


def to_html(summary: Summary, pages: Mapping[str, str], *, language: str = "en") -> str:
    """The page; the same summary gives the same bytes.

    Args:
        pages: address of each student's page from this one, by the entry's id.
        language: the one that is shown first; a reader can switch.
    """
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    attention = _attention(summary, pages)
    style, script = _style(), _script()
    return (
        environment.from_string(_own("site.html.jinja")).render(
            summary=summary,
            scores=figures.scores(summary),
            checks=figures.checks(summary),
            by_rate=sorted(enumerate(figures.checks(summary)), key=lambda one: (one[1].column.advice, one[1].share)),
            mistakes=figures.mistakes(summary),
            speed=figures.speed(summary),
            attention=attention,
            needing=len({one.id for name, listed in attention if name != "notes" for one in listed}),
            histogram=histogram(figures.scores(summary), summary.max_score),
            outcome_bar=outcome_bar,
            mistake_texts=lambda id: summary.mistakes.get(id, {"en": id, "zh": id}),
            duration=_duration(summary.health.seconds),
            data=embedded(values(summary, pages)),
            groups=figures.GROUPS,
            states=_STATES,
            words=WORDS,
            worded=worded,
            language=language,
            languages=LANGUAGES,
            most_listed=_MOST_LISTED,
            style=Markup(style),  # noqa: S704 - our own file
            style_hash=_hash(style),
            script=Markup(script),  # noqa: S704 - our own files
            script_hash=_hash(script),
        )
        + "\n"
    )


def _attention(summary: Summary, pages: Mapping[str, str]) -> list[tuple[str, list[_Listed]]]:
    """Who needs a human, by reason; reasons that concern nobody are left out."""
    advice = {column.id for column in summary.checks if column.advice}
    found: dict[str, list[_Listed]] = {state: [] for state in ("infrastructure", "unreadable", "unnamed", "missing")}
    notes = []
    for entry in summary.submissions:
        if entry.state != "graded":
            found[entry.state].append(_listed(entry, pages, [entry.reason] if entry.reason else []))
        else:
            cells = figures.unnamed(entry, advice)
            if cells:
                listed = ", ".join(cell.id for cell in cells)
                found["unnamed"].append(_listed(entry, pages, [], listed))
        if entry.notes:
            notes.append(_listed(entry, pages, entry.notes))
    return [(name, listed) for name, listed in (*found.items(), ("notes", notes)) if listed]


def _listed(entry: Entry, pages: Mapping[str, str], said: list[Said], detail: str | None = None) -> _Listed:
    shown = (entry.detail or "") if detail is None else detail
    return _Listed(shown_id(entry), entry.student.name, pages.get(entry.id, ""), said, shown[:_MOST_DETAIL])


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _style() -> str:
    """The students' pages' style, and what this page has besides."""
    page = resources.files("grader.report.page").joinpath("style.css").read_text("utf-8")
    return page + _own("site.css")


def _script() -> str:
    return "\n".join(_own(f"script/{name}.js") for name in _SCRIPTS)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _own(name: str) -> str:
    return resources.files("grader.report.site").joinpath(name).read_text("utf-8")
