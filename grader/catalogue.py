"""What a check is, and which checks there are. Imports neither torch nor pytest, so that ``grader list`` is quick."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import grader.checks

_Check = TypeVar("_Check", bound=Callable[..., None])


@dataclass(frozen=True)
class CheckInfo:
    """One graded check.

    Attributes:
        id: stable name, ``area.promise``; reports and settings refer to it.
        section: of the chapter.
        title: the promise that a student reads: the first line of the function's docstring.
        detail: the rest of the docstring: the rule and its worked numbers, for ``grader explain``.
        catches: kinds of mistakes (``area.kind``) that this check is there for.
        cases: inputs of the parametrised check; all of them must hold. Empty: the check takes no ``case``.
        advice: reported, worth no points.
    """

    id: str
    section: str
    title: str
    detail: str
    catches: tuple[str, ...]
    cases: tuple[Any, ...] = ()
    advice: bool = False


def check(
    id: str, *, section: str, catches: Sequence[str], cases: Sequence[Any] = (), advice: bool = False
) -> Callable[[_Check], _Check]:
    """Mark a function of ``grader.checks`` as a graded check; its points stand in ``assignment.toml``."""

    def mark(function: _Check) -> _Check:
        title, _, detail = inspect.cleandoc(function.__doc__ or "").partition("\n")
        info = CheckInfo(id, section, title, detail.strip(), tuple(catches), tuple(cases), advice)
        function.check_info = info  # type: ignore[attr-defined]  # a mark of ours
        return function

    return mark


def info_of(function: object) -> CheckInfo | None:
    """What ``@check`` said of a function; None when it is not a check."""
    info = getattr(function, "check_info", None)
    return info if isinstance(info, CheckInfo) else None


def all_checks() -> dict[str, CheckInfo]:
    """Every check by id, in the chapter's order of files and in each file's own order.

    Raises:
        ValueError: two checks share an id.
    """
    found: dict[str, CheckInfo] = {}
    for name in CHECK_FILES:
        module = importlib.import_module(f"grader.checks.{name}")
        for value in vars(module).values():
            info = info_of(value)
            if info is not None:
                if info.id in found:
                    raise ValueError(f"two checks are called {info.id}")
                found[info.id] = info
    return found


def _files() -> tuple[str, ...]:
    order = ("norm", "rope", "cache", "attention", "gqa", "decode", "ffn", "block", "device", "advice")
    names = [module.name for module in pkgutil.iter_modules(grader.checks.__path__) if module.name.startswith("check_")]
    rank = {f"check_{area}": index for index, area in enumerate(order)}
    return tuple(sorted(names, key=lambda name: (rank.get(name.split("_", 2)[0] + "_" + name.split("_")[1], 99), name)))


CHECK_FILES = _files()
