"""Find the smallest example: the chapter's, then small ones from the smallest on, then the check's own, cut down.

An example counts only when the submission is wrong on it in the way that the check saw: the same kind of failure, of
the same function, and, where mistakes were named, answers that a program with these mistakes gives and a right one
does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.counterexample.asking import Asking
from grader.counterexample.axes import cost, is_possible, letter, sizes_of
from grader.counterexample.candidates import Candidate, Hints, has_half, small
from grader.counterexample.cutting import cut
from grader.counterexample.entries import ORIGINAL, ROUNDED
from grader.counterexample.programs import Programs
from grader.counterexample.smaller import FROM_ONE, FROM_ZERO, Choice, asked_with
from grader.counterexample.steps import ATTENTIVE, Step, Steps, dense, needed, twice
from grader.counterexample.wrong import Kind, Wrong, is_gross, is_visible
from grader.diagnosis.agreement import CLOSE, Agreement
from grader.diagnosis.mistakes import Mistake
from grader.student.submission import Student
from grader.transcript import Transcript

Lend = Callable[[bool], tuple[Student, Transcript]]
"""The submission and a new transcript of what it is asked; in a fresh worker where that is wanted."""

_CLEARLY, _CLEARLY_NEARER = 0.02, 4.0
_SAME = 1e-9
"""Distance below which two answers are the same numbers."""
FRESH, GRADIENTS_OF_A_WHOLE = 6, 4
"""What asking a fresh worker costs, and the oracle's answer, in times of asking the worker that is there."""
FEW = 60
"""Numbers up to which a case that showed the same mistakes otherwise is worth a try."""
MOST_FOR_SMALL, MOST = 110, 190
"""What small cases may cost, and the whole search: counted, so that a busy machine finds the same example."""
PLENTY, LESS = 400, 3
"""What the searches of one submission may cost before those that are left get so many times less."""


@dataclass(frozen=True)
class Example:
    """The steps on which the submission is wrong, and how.

    Attributes:
        shrunk: its numbers are the check's own.
    """

    steps: Steps
    wrong: Wrong
    shrunk: bool = False


class Search:
    """The search for one failed check.

    Args:
        steps: what the check asked in the case that failed.
        message: the failure's, as the report has it.
        about: what its values belong to, in the message's words; empty: whatever is wrong first.
        raised: the exception's type, where the failure is one.
        mistakes: those that explain the check; empty: none is known.
        lend: see Lend.
        hints: from the searches before.
        programs: what the submission is compared with.

    Attributes:
        tries: how often the submission was asked.
        spent: the same, with what each time cost.
    """

    def __init__(
        self,
        steps: Steps,
        message: str,
        about: str,
        raised: str | None,
        mistakes: Sequence[Mistake],
        lend: Lend,
        hints: Hints,
        programs: Programs,
    ) -> None:
        self._steps, self._saw = list(steps), Kind(message, "", "", raised)
        self._about = about
        self._mistakes, self._lend, self._hints = list(mistakes), lend, hints
        self._programs = programs
        self._kind = self._saw
        self._fresh, self._before = False, 0
        self.tries, self.spent = 0, 0

    def run(self) -> Example | None:
        """The smallest example that was found; None when the failure cannot be shown. Raises WorkerLost."""
        try:
            whole = self._whole()
            if whole is None:
                return None
            self._steps = list(whole.steps)
            found = self._first(self._candidates(whole)) or whole
        finally:
            self._hints.spent += self.spent
        steps = needed(found.steps)
        return replace(found, steps=steps, wrong=replace(found.wrong, index=len(steps) - 1))

    def _candidates(self, whole: Example) -> Iterator[Candidate]:
        droppable = self._droppable()
        if self._mistakes:
            wide = self._kind.gross and has_half(self._steps)
            own, of_mistakes = self._hint_keys()
            yield from self._hints.recall(own, self._steps, droppable, wide=wide)
            for candidate in self._hints.recall(of_mistakes, self._steps, droppable, wide=wide):
                if candidate.choice is not None and cost(self._steps, candidate.choice.sizes) <= FEW:
                    yield candidate
        for candidate in small(self._steps, droppable, gross=self._kind.gross):
            if self.spent >= self._affordable(MOST_FOR_SMALL):
                break
            yield candidate
        first = whole.wrong.failure.evidence.get("first")
        index = [int(place) for place in first] if isinstance(first, list) else None
        yield from cut(self._steps, droppable, index, self._fails)

    def _hint_keys(self) -> tuple[object, object]:
        """What this search looks for, and the mistakes alone: what shows them in values may do so in gradients."""
        mistakes = tuple(one.id for one in self._mistakes)
        return (mistakes, self._kind.message, self._kind.op), mistakes

    # -- the check's own case ----------------------------------------------------------------------------------

    def _whole(self) -> Example | None:
        """The case as it was asked, up to where it goes wrong; after another one, where it is right by itself.

        In a fresh worker, unless the submission answers as a model that forgets.
        """
        fresh = not self._mistakes or any(one.is_lasting for one in self._mistakes)
        mistakes = self._hint_keys()[1]
        after_another = self._hints.likely_first(mistakes, list(self._after_another()))
        for about in dict.fromkeys((self._about, "")):
            self._about = about
            for number, steps in ((None, dense(self._steps)), (None, self._steps), *after_another):
                wrong = self._asked(steps, fresh=fresh or number is not None)
                if wrong is None or not self._saw.is_same_message(wrong.kind(steps, gross=False)):
                    continue
                self._kind = wrong.kind(steps, gross=is_gross(wrong))
                self._fresh = number is not None  # what it remembers would spoil the next try
                self._before = len(steps) - len(self._steps)
                if number is not None:
                    self._hints.remember_after(mistakes, number)
                return Example(steps[: wrong.index + 1], wrong, shrunk=True)
        return None

    def _after_another(self) -> Iterator[list[Step]]:
        """The case after another one, for submissions that remember what they should not."""
        sizes = sizes_of(self._steps)
        plain = [
            replace(step, arguments={name: value for name, value in step.arguments.items() if name != "base"})
            for step in self._steps
        ]
        yield twice(self._steps, self._steps)
        yield twice(plain, self._steps)
        for places in (FROM_ZERO, FROM_ONE):
            yield twice(asked_with(plain, Choice(sizes, places=places)), self._steps)
        shorter = {label: max(1, size // 2) if letter(label) == "T" else size for label, size in sizes.items()}
        if is_possible(self._steps, shorter, sizes):
            yield twice(asked_with(self._steps, Choice(shorter)), self._steps)
        other_batch = {label: 1 + (size == 1) if letter(label) == "B" else size for label, size in sizes.items()}
        if self._saw.raised and other_batch != sizes:  # what is kept from another shape may not fit
            yield twice(asked_with(plain, Choice(other_batch, 1, FROM_ONE)), self._steps)

    def _droppable(self) -> set[int]:
        """Calls before the wrong one that nothing refers to; what is remembered must have come with some call."""
        referred = {step.on for step in self._steps if step.op in ("fetch", "unchanged")}
        calls = [index for index, step in enumerate(self._steps[:-1]) if step.op == "call"]
        remembered = [index for index in calls if index < self._before][-1:]
        return {*calls} - referred - {*remembered}

    # -- asking ------------------------------------------------------------------------------------------------

    def _first(self, candidates: Iterator[Candidate]) -> Example | None:
        """The first that shows it, in a fresh worker too where no model says that it would."""
        for candidate in candidates:
            steps = candidate.steps
            wrong = self._shows(steps)
            if wrong is not None and not (self._mistakes or self._fresh):
                wrong = self._shows(steps, fresh=True)
            if wrong is None:
                continue
            for key in self._hint_keys():
                self._hints.remember(key, self._kind.name, candidate)
            is_own = candidate.choice is not None and candidate.choice.variant in (ORIGINAL, ROUNDED)
            return Example(list(steps)[: wrong.index + 1], wrong, shrunk=is_own)
        return None

    def _fails(self, steps: Steps) -> bool:
        """Whether it shows on these steps; what can no longer be afforded does not."""
        return self.spent < self._affordable(MOST) and self._shows(steps) is not None

    def _affordable(self, most: int) -> int:
        return most if self._hints.spent < PLENTY else most // LESS

    def _shows(self, steps: Steps, *, fresh: bool = False) -> Wrong | None:
        """What is wrong on these steps, if it is what the check saw."""
        if not (self._fresh or self._programs.foreseen.may_show(steps, self._mistakes, self._kind.message)):
            return None
        wrong = self._asked(steps, fresh=fresh or self._fresh)
        if wrong is None or not self._kind.is_same(wrong.kind(steps, gross=False)):
            return None
        return wrong if not self._kind.gross or is_visible(wrong) else None

    def _asked(self, steps: Steps, *, fresh: bool) -> Wrong | None:
        student, transcript = self._lend(fresh)
        self.tries += 1
        self.spent += FRESH if fresh else 1
        asking = Asking(student, transcript)
        asking.ask(steps)
        if not self._is_telling(steps, transcript):
            return None
        if steps[-1].op == "gradients" and steps[-1].name in ATTENTIVE:
            self.spent += GRADIENTS_OF_A_WHOLE
        # where mistakes are named, their models decide whether it is they that show, and not how large they are
        kind = replace(self._kind, gross=self._kind.gross and not self._mistakes)
        return asking.first_wrong(kind, self._about, self._programs.oracle, self._programs.foreseen.right(steps))

    def _is_telling(self, steps: Steps, transcript: Transcript) -> bool:
        """Whether the answers may show the mistakes that were named; cheaper than asking the oracle."""
        agreement = self._programs.foreseen.agreement
        without = agreement(steps, transcript, ())
        if without.close == without.exact == 1.0 and without.distance < _SAME:
            return False
        if not self._mistakes:
            return True
        with_them = agreement(steps, transcript, self._mistakes)
        if with_them.close < CLOSE or not _is_nearer(with_them, without):
            return False
        others = ([one for one in self._mistakes if one is not left_out] for left_out in self._mistakes)
        return len(self._mistakes) == 1 or all(
            _is_nearer(with_them, agreement(steps, transcript, some)) for some in others
        )


def _is_nearer(one: Agreement, other: Agreement) -> bool:
    """Whether one program gives the submission's answers and the other does not."""
    clearly = one.exact > other.exact + _CLEARLY or one.distance * _CLEARLY_NEARER < other.distance
    return other.close < CLOSE or clearly
