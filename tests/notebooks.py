"""Notebooks for tests, as JSON."""

from __future__ import annotations

import json
from pathlib import Path


def code(source: str, **more: object) -> dict[str, object]:
    lines = source.splitlines(keepends=True)  # as Jupyter saves it
    return {"cell_type": "code", "source": lines, "metadata": {}, "outputs": [], "execution_count": None, **more}


def write(path: Path, *cells: str | dict[str, object]) -> Path:
    """A notebook of version 4.4 with these code cells, and a Markdown cell before them."""
    markdown = {"cell_type": "markdown", "source": "# def not_code(): ...", "metadata": {}}
    values = {
        "cells": [markdown, *(code(cell) if isinstance(cell, str) else cell for cell in cells)],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    path.write_text(json.dumps(values), "utf-8")
    return path


def write_v3(path: Path, *cells: str) -> Path:
    """The same as notebooks were before 2015."""
    stored = [
        {"cell_type": "code", "input": cell, "language": "python", "outputs": [], "metadata": {}} for cell in cells
    ]
    values = {
        "metadata": {"name": "old"},
        "nbformat": 3,
        "nbformat_minor": 0,
        "worksheets": [{"cells": [{"cell_type": "heading", "level": 1, "source": "Title"}, *stored], "metadata": {}}],
    }
    path.write_text(json.dumps(values), "utf-8")
    return path
