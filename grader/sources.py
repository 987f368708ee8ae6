"""The one place that decides where right answers come from: the reference, or the answer key of a student kit."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.key import facts

if TYPE_CHECKING:  # torch is imported by those who run checks
    from grader.settings import Settings
    from grader.source import Source


def is_kit() -> bool:
    """Whether this copy of the grader is a student kit."""
    return facts.of_this_copy() is not None


def source(seed: int) -> Source:
    """Inputs, answers and names of a run with ``seed``. Raises UsageError for a seed that a kit does not hold."""
    kit = facts.of_this_copy()
    if kit is None:
        from grader.live import LiveSource

        return LiveSource(seed)
    from grader.key.reader import read
    from grader.key.source import KeyedSource

    seed_for(seed)
    return KeyedSource(read(facts.FOLDER))


def seed_for(given: int | None) -> int:
    """The seed of a run: the given one, else a fresh one; in a kit the one that it was made with.

    A fresh one is known to nobody before the run, and has 62 bits, so that it is a plain JSON integer everywhere.

    Raises:
        UsageError: another seed than the kit's.
    """
    kit = facts.of_this_copy()
    if kit is None:
        return secrets.randbits(62) if given is None else given
    if given not in (None, kit.seed):
        raise UsageError(f"this kit holds the answers for seed {kit.seed} only, not for {given}; run without a seed")
    return kit.seed


def names_by_check(settings: Settings) -> Mapping[str, frozenset[str]]:
    """Which of the contract's names each check calls."""
    kit = facts.of_this_copy()
    if kit is not None:
        return kit.names
    from grader.needed_names import names_by_check

    return names_by_check(settings)
