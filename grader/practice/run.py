"""``grader.check``: grade live objects by their names in the contract."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from grader import settings
from grader.catalogue import all_checks
from grader.contract import MODULE_OF, PACKAGE
from grader.errors import UsageError
from grader.feedback.messages import LANGUAGES
from grader.intake.submission import SubmissionFiles
from grader.practice import frames, torch_state
from grader.practice.result import Practice
from grader.runners.in_process import InProcessRunner
from grader.session import grade
from grader.sources import names_by_check, seed_for
from grader.worker.failures import StudentFault


def check(*, seed: int | None = None, lang: str = "en", **objects: Any) -> Practice:
    """Grade functions and classes where they are, e.g. ``grader.check(apply_rope=apply_rope, RMSNorm=RMSNorm)``.

    Practice: they run in this process, so nothing is isolated, an endless loop is yours to interrupt, and the report
    says ``trusted: false``. Only checks that need no other names run; the others do not count.

    Args:
        seed: of all inputs; fresh without it.
        lang: ``en`` or ``zh``.
        objects: by their names in the assignment.

    Raises:
        UsageError: no objects, a name that the assignment does not have, or something that cannot be called.
    """
    _require_known(objects)
    if lang not in LANGUAGES:
        raise UsageError(f"lang is one of {', '.join(LANGUAGES)}, got {lang!r}")
    runner = InProcessRunner(functools.partial(_find, objects), frames.describe)
    with torch_state.kept():
        loaded, needed = _assignment()
        selected = [check for check, names in needed.items() if names <= objects.keys()]
        report = grade(_sources(objects), runner, loaded, seed=seed_for(seed), selected=selected)
    return Practice(report, lang)


@functools.cache
def _assignment() -> tuple[settings.Settings, Mapping[str, frozenset[str]]]:
    """The assignment that comes with the grader, and the names that its checks need."""
    loaded = settings.load(None, all_checks())
    return loaded, names_by_check(loaded)


def _require_known(objects: Mapping[str, object]) -> None:
    if not objects:
        raise UsageError("nothing to check; name what you wrote, e.g. grader.check(apply_rope=apply_rope)")
    for name, value in objects.items():
        if name not in MODULE_OF:
            close = difflib.get_close_matches(name, MODULE_OF, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(MODULE_OF)}"
            raise UsageError(f"the assignment has no {name}; {hint}")
        if not callable(value):
            raise UsageError(f"{name} is to be a function or a class, got {type(value).__name__}")


def _find(objects: Mapping[str, Callable[..., Any]], target: str) -> Any:
    """What a check asks for; a module as such is always there."""
    module, _, name = target.partition(":")
    if name and name not in objects:  # a diagnosis may try the parts of a whole
        raise StudentFault("missing-name", module=module, name=name, names=[*objects])
    return objects.get(name)


def _sources(objects: Mapping[str, Callable[..., Any]]) -> SubmissionFiles:
    """The objects' source texts where they can be had: for the digest alone, since they are not imported again."""
    files = {}
    for name, value in objects.items():
        try:
            files[f"{PACKAGE}/{MODULE_OF[name]}.py:{name}"] = inspect.getsource(value)
        except (OSError, TypeError):  # typed at a prompt, or built by a program
            files[f"{PACKAGE}/{MODULE_OF[name]}.py:{name}"] = ""
    return SubmissionFiles(", ".join(objects), files)
