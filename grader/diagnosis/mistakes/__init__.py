"""The known mistakes: each a class that replaces the steps of ``Program`` that it gets wrong.

To add one, write a class in the file of its area, derived from that area's steps, with ``@mistake("area.kind")``
above it and the mistake in one sentence as its docstring. Build on ``super()`` where possible, so that it combines with
others.
"""

from __future__ import annotations

import importlib
import pkgutil

from grader.diagnosis.mistakes.registry import Mistake, mistake, registered

__all__ = ["Mistake", "all_mistakes", "mistake"]


def all_mistakes() -> dict[str, Mistake]:
    """Every known mistake by id."""
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return dict(registered)
