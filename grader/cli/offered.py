"""Which commands this copy of the grader has: a student kit comes without those of an instructor."""

from __future__ import annotations

import importlib.util

import typer

_ELSEWHERE = {"explain": "show", "package": "export"}
"""Commands whose work is done in a module of another name."""


def leave_out_what_is_not_here(app: typer.Typer) -> None:
    """Drop the commands and groups whose module is not in this copy; most have its name."""
    app.registered_groups[:] = [group for group in app.registered_groups if _is_here(str(group.name))]
    for command in [*app.registered_commands]:
        if command.name is None and command.callback is not None and not _is_here(command.callback.__name__):
            app.registered_commands.remove(command)


def _is_here(name: str) -> bool:
    return importlib.util.find_spec(f"grader.cli.{_ELSEWHERE.get(name, name)}") is not None
