"""``%load_ext grader`` gives a notebook the line ``%grade``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from typing import Any

from grader.contract import MODULE_OF
from grader.errors import UsageError
from grader.practice.result import Practice
from grader.practice.run import check

USAGE = "%grade [NAME ...] [--seed N] [--lang en|zh]"


def load_ipython_extension(ipython: Any) -> None:
    """What ``%load_ext grader`` calls.

    Args:
        ipython: the running InteractiveShell.
    """

    def grade_line(line: str) -> Practice | None:
        """Grade what the notebook defines: %grade [NAME ...] [--seed N] [--lang en|zh]."""
        try:
            return grade(line, ipython.user_ns)
        except UsageError as error:
            sys.stderr.write(f"grader: {error}\n")  # one sentence, without the traceback of a cell that failed
            return None

    ipython.register_magic_function(grade_line, "line", "grade")


def grade(line: str, namespace: Mapping[str, Any]) -> Practice:
    """Grade the names on the line, or without any all that the namespace has of the assignment.

    Raises:
        UsageError: a name that is not defined, an unknown option, and whatever ``check`` refuses.
    """
    names, options = _parsed(line)
    if names:
        missing = [name for name in names if name in MODULE_OF and name not in namespace]
        if missing:
            raise UsageError(f"{', '.join(missing)} is not defined here; run the cell that defines it first")
        given: dict[str, Any] = {name: namespace.get(name) for name in names}
        return check(**options, **given)
    found: dict[str, Any] = {
        name: namespace[name] for name in MODULE_OF if name in namespace and not _is_torchs(namespace[name])
    }
    if not found:
        raise UsageError(f"nothing of the assignment is defined here yet; it has {', '.join(MODULE_OF)}")
    return check(**options, **found)


def _parsed(line: str) -> tuple[list[str], dict[str, Any]]:
    try:
        words = iter(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"{error}; the line is {USAGE}") from None
    names: list[str] = []
    options: dict[str, Any] = {}
    for word in words:
        option, equals, value = word.partition("=")
        if not option.startswith("-"):
            names.append(word)
            continue
        value = value if equals else next(words, "")
        if option == "--seed" and value.isdecimal():
            options["seed"] = int(value)
        elif option == "--lang" and value:
            options["lang"] = value
        else:
            raise UsageError(f"cannot read {word}; the line is {USAGE}")
    return names, options


def _is_torchs(value: object) -> bool:
    """``from torch.nn import RMSNorm`` in a notebook is nothing that a student wrote."""
    return str(getattr(value, "__module__", "")).split(".")[0] == "torch"
