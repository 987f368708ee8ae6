"""Mistake x check as one small HTML page: which check sees which mistake, and where the mistake was named."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

import jinja2

from grader.selftest.figures import Graded


def to_html(graded: Sequence[Graded], checks: Sequence[str]) -> str:
    """The page; it loads nothing from elsewhere."""
    template = resources.files("grader.selftest").joinpath("matrix.html.jinja").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    rows = sorted((one for one in graded if one.kind == "wrong"), key=lambda one: (one.area, one.name))
    return environment.from_string(template).render(rows=rows, checks=checks)
