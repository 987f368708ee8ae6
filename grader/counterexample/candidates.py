"""Small cases that are worth a try, from the smallest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from grader.counterexample.axes import Sizes, ascending, is_possible, letter, sizes_of
from grader.counterexample.entries import WEIGHTED
from grader.counterexample.smaller import BACKWARDS, FROM_ONE, FROM_ZERO, ORIGINAL_PLACES, Choice, asked_with
from grader.counterexample.steps import ATTENTIVE, Step, Steps

SMALL_SIZES, SMALL_SIZES_OF_A_WHOLE = 40, 16
"""How many sizes are tried, each with every way to fill them; fewer for blocks, which take longer."""

_WAYS = ((0, FROM_ONE), (1, FROM_ONE), (2, FROM_ZERO), (4, FROM_ZERO), (1, BACKWARDS), (3, FROM_ONE))
_WITHOUT_POSITIONS = ((0, FROM_ONE), (1, FROM_ONE), (2, FROM_ONE), (4, FROM_ONE), (3, FROM_ONE))
_NEAR = 8
_OF_A_NORM = ((1, FROM_ONE), (0, FROM_ONE), (3, FROM_ONE))  # the chapter's x is [1, 3]
_POSITIONS_ONLY = ((0, FROM_ONE), (0, FROM_ZERO), (0, BACKWARDS))
_WHOLE_NUMBERS = {
    "kv_cache_bytes": [
        (1, 1, 1, 1, 1, 1),
        *(tuple(2 if place == index else 1 for place in range(6)) for index in range(6)),
        (1, 2, 1, 2, 2, 2),
    ],
    "swiglu_hidden_dim": [(3,), (6,), (12,), (768,), (3, 1), (6, 4), (6, 8), (12, 8), (12, 16), (24, 32)],
}


@dataclass(frozen=True)
class Candidate:
    """A case to try.

    Attributes:
        choice: how it was made of the check's own case; None for one that is written down here.
    """

    steps: Steps
    choice: Choice | None = None


class Hints:
    """What showed a mistake once shows it again in the next check: its sizes are tried first there.

    Attributes:
        spent: what the searches of this submission have cost so far.
    """

    def __init__(self) -> None:
        self.spent = 0
        self._found: dict[object, tuple[Choice, dict[str, list[int]]]] = {}
        self._after: dict[object, int] = {}

    def likely_first(self, mistakes: object, others: Sequence[list[Step]]) -> list[tuple[int, list[Step]]]:
        """What may have to be asked before, numbered; what showed these mistakes elsewhere comes first."""
        known = self._after.get(mistakes)
        return sorted(enumerate(others), key=lambda one: one[0] != known)

    def remember_after(self, mistakes: object, number: int) -> None:
        """Keep which of ``others`` it was."""
        self._after[mistakes] = number

    def remember(self, mistakes: object, name: str, candidate: Candidate) -> None:
        """Keep the sizes of an example that was found.

        Args:
            mistakes: what it shows.
            name: of the function or class.
        """
        if candidate.choice is not None:
            found = candidate.choice, _by_letter(candidate.choice.sizes)
            self._found[mistakes, name] = found
            if name in ATTENTIVE:
                self._found[mistakes, ""] = found

    def recall(self, mistakes: object, steps: Steps, droppable: set[int], *, wide: bool) -> Iterator[Candidate]:
        """The kept sizes for other steps; those of a part for the whole around it, in all numbers."""
        name = steps[-1].name
        known, part = self._found.get((mistakes, name)), self._found.get((mistakes, ""))
        if known is not None:
            yield from _like(known, steps, droppable, wide=wide)
        elif part is not None and name in ATTENTIVE:
            for variant, places in _ways(steps):
                choice = replace(part[0], variant=variant, places=places)
                yield from _like((choice, part[1]), steps, droppable, wide=wide)


def _like(
    known: tuple[Choice, dict[str, list[int]]], steps: Steps, droppable: set[int], *, wide: bool
) -> Iterator[Candidate]:
    """Known sizes given to other steps: the last calls get the tokens, those before are left out where they can."""
    choice, kept = known
    original = sizes_of(steps)
    left = {name: list(values) for name, values in kept.items()}
    sizes: Sizes = {}
    for label in reversed(original):
        values = left.get(letter(label), [])
        fewest = 0 if letter(label) == "T" and int(label[2:]) in droppable else 1
        sizes[label] = min(values.pop() if values else fewest, original[label])
    if is_possible(steps, sizes, original):
        found = replace(choice, sizes=sizes, wide=wide)
        yield Candidate(asked_with(steps, found), found)


def small(steps: Steps, droppable: set[int], *, gross: bool) -> Iterator[Candidate]:
    """The chapter's own numbers, then small ones by the count of numbers.

    Args:
        droppable: calls that may be left out.
        gross: the fault is too large for a matter of rounding, so FP32 shows it as well as bf16.
    """
    yield from _of_the_chapter(steps)
    yield from _of_whole_numbers(steps)
    wide = gross and has_half(steps)
    most = SMALL_SIZES_OF_A_WHOLE if steps[-1].name in ATTENTIVE[1:] else SMALL_SIZES
    smallest = list(ascending(steps, droppable, most))
    weighted = [(variant, FROM_ONE) for variant in WEIGHTED] if any(step.weights for step in steps) else []
    for ways in (_ways(steps), weighted):
        for sizes in smallest:
            for variant, places in ways:
                choice = Choice(sizes, variant, places, wide=wide)
                yield Candidate(asked_with(steps, choice), choice)


def has_half(steps: Steps) -> bool:
    """Whether bf16 goes in."""
    return any(tensor.dtype == torch.bfloat16 for step in steps for _, tensor in step.tensors())


def _by_letter(sizes: Mapping[str, int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for label, size in sizes.items():
        if size:
            found.setdefault(letter(label), []).append(size)
    return found


def _ways(steps: Steps) -> Sequence[tuple[int, str]]:
    """Which numbers and positions: no two that ask the same."""
    if steps[-1].name in ("LayerNorm", "RMSNorm"):
        return _OF_A_NORM
    names = Counter(name for step in steps for name, _ in step.tensors())
    if "positions" not in names:
        return _WITHOUT_POSITIONS
    if len(names) == 1:
        return _POSITIONS_ONLY
    far = max(int(step.arguments["positions"].max()) for step in steps if "positions" in step.arguments) > _NEAR
    return (*_WAYS, (1, ORIGINAL_PLACES), (4, ORIGINAL_PLACES)) if far else _WAYS


def _of_the_chapter(steps: Steps) -> Iterator[Candidate]:
    """Section 4.4: q = [1, 2, 3, 4] at position 1, k = [4, 3, 2, 1] at 3; 4.1's x = [1, 3] is among the small ones."""
    step = steps[-1]
    if len(steps) != 1 or step.name != "apply_rope" or step.op != "call" or "base" in step.arguments:
        return
    x, positions = step.arguments["x"], step.arguments["positions"]
    if x.shape[-1] < 4 or positions.dim() != 1:
        return
    q, k = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    for tokens, places in (([[q]], [1]), ([[k]], [3]), ([[q], [k]], [1, 3])):
        given = {"x": torch.tensor([tokens], dtype=x.dtype), "positions": torch.tensor(places)}
        yield Candidate([replace(step, arguments=given)])


def _of_whole_numbers(steps: Steps) -> Iterator[Candidate]:
    """Functions that take and give whole numbers."""
    step: Step = steps[-1]
    names = ("dim", "multiple_of") if step.name == "swiglu_hidden_dim" else tuple(step.arguments)
    for values in _WHOLE_NUMBERS.get(step.name, []):
        yield Candidate([replace(step, arguments=dict(zip(names, values, strict=False)))])
