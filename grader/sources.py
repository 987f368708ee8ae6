"""The one place that decides where right answers come from: the reference, or the answer key of a student kit."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.key import facts

if TYPE_CHECKING:  # torch is imported by those who run checks
    from grader.live import Kept
    from grader.report.models import CheckResult
    from grader.settings import Settings
    from grader.source import Source
    from grader.transcript import Transcript


def is_kit() -> bool:
    """Whether this copy of the grader is a student kit."""
    return facts.of_this_copy() is not None


def kept() -> Kept | None:
    """Room for what the runs of a class have in common; a kit has it all already."""
    if is_kit():
        return None
    from grader.live import Kept

    return Kept()


def source(seed: int, kept: Kept | None = None) -> Source:
    """Inputs, answers and names of a run with ``seed``.

    Args:
        kept: see ``kept``.

    Raises:
        UsageError: a seed that a kit does not hold.
    """
    kit = facts.of_this_copy()
    if kit is None:
        from grader.live import LiveSource

        return LiveSource(seed, kept)
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


def attach_examples(
    results: Sequence[CheckResult],
    transcripts: Mapping[str, Transcript],
    lend: Callable[[bool], tuple[Any, Transcript]],
    *,
    seed: int,
    with_imports: bool,
    kept: Kept | None,
) -> Exception | None:
    """Put counter-examples into the findings of failed checks; see ``counterexample.attach``.

    A kit has right answers to what the checks ask, and to nothing smaller: there are none in it.
    """
    if kept is None:
        return None
    from grader.counterexample.attach import attach_examples  # models of mistakes: only after a failure
    from grader.counterexample.programs import KeptPrograms

    kept.examples = kept.examples or KeptPrograms()
    programs = kept.examples.of(seed)
    return attach_examples(results, transcripts, lend, programs=programs, with_imports=with_imports)


def names_by_check(settings: Settings) -> Mapping[str, frozenset[str]]:
    """Which of the contract's names each check calls."""
    kit = facts.of_this_copy()
    if kit is not None:
        return kit.names
    from grader.needed_names import names_by_check

    return names_by_check(settings)
