"""Cut the check's own case down: fewer of everything as long as it still fails, then plainer numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from grader.counterexample.axes import axes, is_possible, letter, sizes_of
from grader.counterexample.candidates import Candidate
from grader.counterexample.entries import ORIGINAL, ROUNDED, VARIANTS, WEIGHTED
from grader.counterexample.smaller import FROM_ONE, ORIGINAL_PLACES, Choice, asked_with
from grader.counterexample.steps import ATTENTIVE, Steps

TRIES, TRIES_OF_A_WHOLE = 110, 60
"""How often the submission is asked while sizes shrink."""


def cut(
    steps: Steps, droppable: set[int], first: list[int] | None, fails: Callable[[Steps], bool]
) -> Iterator[Candidate]:
    """The smallest that still fails, in the plainest numbers first.

    Args:
        steps: the last one goes wrong.
        droppable: calls that may be left out.
        first: index of the first wrong element, which the parts that are kept should hold.
        fails: asks the submission.
    """
    starts = _starts(steps, first)
    ways = [Choice({}, starts=starts), Choice({}, 1, starts=starts), Choice({}, 0, FROM_ONE)]
    best = _smallest(steps, droppable, ways, fails)
    for variant in (*VARIANTS, *WEIGHTED, ROUNDED) if best.variant == ORIGINAL else ():
        for places in (FROM_ONE, ORIGINAL_PLACES):
            plainer = replace(best, variant=variant, places=places)
            yield Candidate(asked_with(steps, plainer), plainer)
    yield Candidate(asked_with(steps, best), best)


def _smallest(steps: Steps, droppable: set[int], ways: list[Choice], fails: Callable[[Steps], bool]) -> Choice:
    """One size after the other, the largest first, until none can shrink."""
    original = sizes_of(steps)
    left = TRIES_OF_A_WHOLE if steps[-1].name in ATTENTIVE[1:] else TRIES
    best, shrinking = replace(ways[0], sizes=original), True
    while shrinking:
        shrinking = False
        for label in sorted(original, key=lambda one: -best.sizes[one]):
            for size in _fewer(label, best.sizes[label], droppable):
                sizes = {**best.sizes, label: size}
                if not is_possible(steps, sizes, original):
                    continue
                choices = [replace(way, sizes=sizes) for way in ways][:left]
                hits = (choice for choice in choices if fails(asked_with(steps, choice)))
                hit = next(hits, None)
                left -= len(choices) if hit is None else choices.index(hit) + 1
                if hit is not None:
                    best, shrinking = hit, True
                    break
            if left <= 0:
                return best
    return best


def _fewer(label: str, size: int, droppable: set[int]) -> list[int]:
    least = 0 if letter(label) == "T" and int(label[2:]) in droppable else 1
    tried = (least, least + 1, 2, size // 2, size - size // 4, size - 2, size - 1)
    return [one for one in dict.fromkeys(tried) if least <= one < size]


def _starts(steps: Steps, first: list[int] | None) -> dict[str, int]:
    """Where to begin, by label, so that the first wrong element is among what is kept."""
    step, index = steps[-1], len(steps) - 1
    given = dict(step.tensors())
    leading = next((name for name in ("x", "q") if name in given), None)
    if first is None or step.op != "call" or leading is None:
        return {}
    labels = axes(step, index, leading, given[leading])
    return {label: place for label, place in zip(labels, first, strict=False) if letter(label)[0] in "BTHL"}
