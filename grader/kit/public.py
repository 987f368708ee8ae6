"""Files of the grader with what students may know of them."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Collection

from grader.settings import Settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def check_file(source: str, public: Collection[str]) -> str | None:
    """A file of checks without those that are not public; None when nothing is left.

    Everything else stays to the byte: the rest of a check's lines say what it promises.
    """
    lines, kept = source.splitlines(keepends=True), 0
    dropped: set[int] = set()
    for node in ast.parse(source).body:
        check = _check_of(node)
        if check is None:
            continue
        if check in public:
            kept += 1
            continue
        assert isinstance(node, ast.FunctionDef)  # noqa: S101 - has a decorator
        first = node.decorator_list[0].lineno
        dropped.update(range(first, (node.end_lineno or first) + 1))
        while first > 1 and not lines[first - 2].strip():  # blank lines before it
            first -= 1
            dropped.add(first)
    text = "".join(line for number, line in enumerate(lines, 1) if number not in dropped)
    return text if kept else None


def translations(text: str, wanted: Collection[str]) -> str:
    """A flat table of texts by id, those of ``wanted`` only."""
    kept = {id: value for id, value in tomllib.loads(text).items() if id in wanted}
    return "".join(f"{_quoted(id)} = {_quoted(value)}\n" for id, value in kept.items())


def assignment(settings: Settings, public: Collection[str]) -> str:
    """The kit's ``assignment.toml``: title, limits, hints and points of the public checks."""
    limits = settings.limits.model_dump()
    hints = {check: settings.hints_for(check) for check in public}
    return "\n".join(
        [
            "# The public checks of a course. More may run at grading; this file says nothing of them.",
            "",
            "[assignment]",
            f"title = {_quoted(settings.assignment.title)}",
            "",
            "[limits]",
            *(f"{name} = {value}" for name, value in limits.items()),
            "",
            "[hints]",
            f"level = {settings.hints.level}",
            "",
            "[hints.checks]",
            *(f"{_quoted(check)} = {level}" for check, level in hints.items() if level != settings.hints.level),
            "",
            "[points]",
            *(f"{_quoted(check)} = {settings.points[check]}" for check in settings.points if check in public),
            "",
        ]
    )


def _check_of(node: ast.stmt) -> str | None:
    """The id of the check that a function is."""
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "check":
                return str(ast.literal_eval(decorator.args[0]))
    return None


def _quoted(value: object) -> str:
    """A TOML string: JSON's is one, but for the character that TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
