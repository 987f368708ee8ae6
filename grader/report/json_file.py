"""The report as a file, and its published schema."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from grader.report import files
from grader.report.models import Report

SCHEMA_FILE = "report.schema.json"
_SCHEMA_ID = "https://assignment1-grader.invalid/report-1.schema.json"


def to_json(report: Report) -> str:
    """The report as indented JSON. Read it back with ``from_json``: computed fields are dropped and computed again."""
    return report.model_dump_json(indent=2) + "\n"


def from_json(text: str) -> Report:
    """Read a report. Raises ValueError (pydantic's ValidationError is one) for anything that is not one."""
    return from_values(json.loads(text))


def from_values(values: object) -> Report:
    """The same from JSON that is read already; ``values`` loses its computed fields. Raises ValidationError."""
    if isinstance(values, dict):
        _drop(values, "graded", "score", "max_score")
        checks = values.get("checks")
        for check in checks if isinstance(checks, list) else []:
            _drop(check, "points")
    return Report.model_validate(values)


def _drop(values: object, *names: str) -> None:
    if isinstance(values, dict):
        for name in names:
            values.pop(name, None)


def write(report: Report, path: Path) -> None:
    """Write atomically, see ``files.write``.

    Raises:
        OSError: the folder cannot be written.
    """
    files.write(to_json(report), path)


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of what ``to_json`` writes."""
    generated = Report.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": _SCHEMA_ID, **generated}


def published_schema() -> dict[str, Any]:
    """The schema file that comes with the package; a test holds it equal to ``schema()``."""
    text = resources.files("grader.report").joinpath(SCHEMA_FILE).read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
