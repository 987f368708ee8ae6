"""What a mistake is, and where they are collected."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

registered: dict[str, Mistake] = {}

PARTS = ("norm", "rope", "cache", "attention", "gqa", "ffn", "block", "transformer")


@dataclass(frozen=True)
class Mistake:
    """One known mistake.

    Attributes:
        id: ``area.kind``, the same word as FAULT in the bank and ``catches`` of a check.
        part: which part of the contract's code holds it, one of PARTS; a check that does not reach it cannot show it.
        sentence: what a student did, in one sentence.
        steps: the class that replaces steps of ``Program``.
    """

    id: str
    part: str
    sentence: str
    steps: type

    @property
    def is_lasting(self) -> bool:
        """Whether it remembers something from one check to the next, as a module-level table does."""
        return getattr(self.steps, "lasting", False) is True


def mistake(id: str, *, part: str) -> Callable[[type], type]:
    """Register the class below as a model of mistake ``id``. Raises ValueError for an id or part that cannot be."""
    if id in registered:
        raise ValueError(f"two models of {id}")
    if part not in PARTS:
        raise ValueError(f"no part is called {part}")

    def register(steps: type) -> type:
        registered[id] = Mistake(id, part, inspect.cleandoc(steps.__doc__ or "").splitlines()[0], steps)
        return steps

    return register
