"""Find the smallest set of known mistakes that explains every failed check of a submission.

Checks are taken in the chapter's order, parts before wholes. Each is first tried on the mistakes found so far; if those
do not explain it, on each further mistake together with them; then, in one part, on pairs. A mistake is taken only when

* the model agrees with the submission's answers in every case of the check, and
* it does not contradict a check that passed, and
* no other mistake explains the same just as well.

Otherwise the check stays without a name: a wrong name is worse than none.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.diagnosis.agreement import CLOSE, WHOLLY, Agreement
from grader.diagnosis.known import Agreements, Known
from grader.diagnosis.records import CheckRecord

CLEARLY = 0.02
CLEARLY_NEARER = 4.0
_COMPOSITES = ("gqa", "block", "transformer")
ROUGH, EXACT = 0.93, 0.995
"""Shares of elements that agree bit for bit (in FP32: tightly) where something is missing, and where nothing is."""
REPLAYS_FOR_PAIRS = 4000
"""A replay takes half a millisecond. Counted and not timed, so that a busy machine gives the same names."""
TRIES_IN_VAIN = 1000
"""After so many without an explanation, further checks of the same part are tried on what was found only."""


@dataclass
class Diagnosis:
    """What was found.

    Attributes:
        mistakes: the smallest set that was needed, in the order in which it was found.
        by_check: which of them explain a failed check; a check that is not here has no name.
        rough: explained checks whose numbers agree, but not as wholly or as tightly as they should: there may be
            something else besides, such as a loss of precision.
    """

    mistakes: list[Known] = field(default_factory=list)
    by_check: dict[str, list[Known]] = field(default_factory=dict)
    rough: set[str] = field(default_factory=set)


class Search:
    """One submission's search.

    Args:
        records: every check that was answered, in the order in which they ran.
        agreements: the mistakes to consider, and how well their answers agree with the submission's.
    """

    def __init__(self, records: Sequence[CheckRecord], agreements: Agreements) -> None:
        self._agreements, self._known = agreements, agreements.known
        self._records = list(records)
        self._failed = sorted((record for record in records if not record.passed), key=lambda record: record.depth)
        self._passed = [record for record in records if record.passed]
        self._seen: dict[tuple[str, tuple[str, ...]], Agreement] = {}
        self._runs: dict[tuple[int, tuple[str, ...]], Sequence[Agreement]] = {}
        self._replays, self._left_for_pairs = 0, REPLAYS_FOR_PAIRS
        self._in_vain: Counter[str] = Counter()
        self._unexplained: set[str] = set()
        self._known_at: dict[str, int] = {}

    def run(self) -> Diagnosis:
        """Search: all single mistakes for every failed check, and pairs as long as REPLAYS_FOR_PAIRS last."""
        found = Diagnosis()
        for record in self._failed:
            self._explain(record, found)
        for record in self._failed:  # a mistake found later may tell two apart that looked the same, or complete a pair
            if record.id not in found.by_check and len(found.mistakes) > self._known_at[record.id]:
                self._explain(record, found)
        return found

    def _explain(self, record: CheckRecord, found: Diagnosis) -> None:
        self._known_at[record.id] = len(found.mistakes)
        if found.mistakes and self._explains(record, found.mistakes):
            found.mistakes += self._more_exact(record, found)
        elif self._in_vain[record.own_part] > TRIES_IN_VAIN:
            return
        else:
            added = self._clear_one(record, found)
            if added is None:
                self._in_vain[record.own_part] += len(self._of_part(record, found))
                self._unexplained.add(record.own_part)
                return
            found.mistakes += added
        explaining = found.by_check[record.id] = self._needed(record, found.mistakes)
        agreed = self._agreement(record, explaining)
        if agreed.close < WHOLLY or (record.own_part not in _COMPOSITES and agreed.exact <= ROUGH):
            found.rough.add(record.id)

    def _more_exact(self, record: CheckRecord, found: Diagnosis) -> list[Known]:
        """One more mistake without which the explanation is rough: a loss of precision on top of something larger."""
        rough = self._agreement(record, found.mistakes).exact
        if rough > ROUGH or self._in_vain[record.own_part] > TRIES_IN_VAIN:
            return []
        own = [one for one in self._of_part(record, found) if one.part == record.own_part]
        exact = [
            (one,)
            for one in own
            if self._explains(record, [*found.mistakes, one])
            and self._agreement(record, [*found.mistakes, one]).exact > EXACT
        ]
        best = self._best(record, found.mistakes, exact)
        if best is None:
            self._in_vain[record.own_part] += len(own)
        return best or []

    def _of_part(self, record: CheckRecord, found: Diagnosis) -> list[Known]:
        return [one for one in self._known.values() if one.part in record.parts and one not in found.mistakes]

    def _clear_one(self, record: CheckRecord, found: Diagnosis) -> list[Known] | None:
        """The mistake, or the two, that explain the check together with what was found."""
        relevant = self._of_part(record, found)
        own = [one for one in relevant if one.part == record.own_part]
        within = [one for one in relevant if one not in own]
        # a mistake in an inner part has checks of its own, which came first: those of the outer part are tried first,
        # unless an inner part has a mistake that is not known yet and may look the same from here
        rounds = [relevant] if self._unexplained & record.parts - {record.own_part} else [own, within]
        one_is_enough = False
        for round_ in rounds:
            explaining = self._explaining(record, found.mistakes, [(one,) for one in round_])
            best = self._best(record, found.mistakes, explaining)
            if best is not None:
                return best
            one_is_enough |= not all(self._is_contradicted([*found.mistakes, *one]) for one in explaining)
        if one_is_enough or self._left_for_pairs <= 0:
            return None
        possible = [one for one in own if not (one.is_lasting or self._is_contradicted([*found.mistakes, one]))]
        before = self._replays
        pairs = itertools.combinations(possible, 2)
        explaining = self._explaining(record, found.mistakes, pairs, most=self._left_for_pairs)
        self._left_for_pairs -= self._replays - before
        return self._best(record, found.mistakes, explaining)

    def _explaining(
        self,
        record: CheckRecord,
        base: Sequence[Known],
        candidates: Iterable[tuple[Known, ...]],
        most: int = 10**6,
    ) -> list[tuple[Known, ...]]:
        """The candidates that explain the check, found within ``most`` replays."""
        explaining, last = [], self._replays + most
        for candidate in candidates:
            if self._replays >= last:
                break
            if self._explains(record, [*base, *candidate]):
                explaining.append(candidate)
        return explaining

    def _best(
        self, record: CheckRecord, base: Sequence[Known], explaining: Sequence[tuple[Known, ...]]
    ) -> list[Known] | None:
        """The one candidate that contradicts nothing and explains the most; None without a clear one."""
        if len(explaining) == 1:  # nothing to compare it with
            return None if self._is_contradicted([*base, *explaining[0]]) else list(explaining[0])
        ranked = []
        for candidate in explaining:
            mistakes = [*base, *candidate]
            agreed = self._agreement(record, mistakes)
            ranked.append((-self._also_explained(mistakes), *self._against(mistakes), -agreed.exact, candidate))
        ranked.sort(key=lambda entry: (entry[1] > 0, *entry[:4]))
        if not ranked or ranked[0][1] > 0:
            return None
        if len(ranked) > 1 and ranked[1][:3] == ranked[0][:3] and ranked[1][3] - ranked[0][3] < CLEARLY:
            return None
        return list(ranked[0][4])

    def _explains(self, record: CheckRecord, mistakes: Sequence[Known]) -> bool:
        """Whether a program with these mistakes answers as the submission did, and a right one does not."""
        with_them = self._agreement(record, mistakes)
        if with_them.close < CLOSE:
            return False
        without = self._agreement(record, ())
        if without.close < CLOSE:
            return True
        return with_them.exact > without.exact + CLEARLY or with_them.distance * CLEARLY_NEARER < without.distance

    def _against(self, mistakes: Sequence[Known]) -> tuple[int, int]:
        """How many passed checks speak against these mistakes: contradicted ones, and all that agree less."""
        contradicted = disagreeing = 0
        for record in self._passed:
            if self._relevant(record, mistakes) and self._agreement(record, mistakes).close < CLOSE:
                disagreeing += 1
                contradicted += self._agreement(record, ()).close >= CLOSE
        return contradicted, disagreeing

    def _is_contradicted(self, mistakes: Sequence[Known]) -> bool:
        """Whether a passed check speaks against these mistakes; the first one that does is enough."""
        return any(
            self._agreement(record, mistakes).close < CLOSE and self._agreement(record, ()).close >= CLOSE
            for record in self._passed
            if self._relevant(record, mistakes)
        )

    def _also_explained(self, mistakes: Sequence[Known]) -> int:
        """How many of the failed checks these mistakes explain."""
        return sum(self._explains(record, mistakes) for record in self._failed if self._relevant(record, mistakes))

    def _needed(self, record: CheckRecord, mistakes: Sequence[Known]) -> list[Known]:
        """The fewest of the mistakes that explain the check."""
        for count in range(1, len(mistakes)):
            for some in itertools.combinations(mistakes, count):
                if self._explains(record, some):
                    return list(some)
        return [one for one in mistakes if one.part in record.parts]

    def _agreement(self, record: CheckRecord, mistakes: Sequence[Known]) -> Agreement:
        relevant = [one for one in mistakes if one.part in record.parts]
        key = self._key(record, relevant)
        if key not in self._seen:
            if any(one.is_lasting for one in relevant):
                self._seen[key] = self._in_run(record, mistakes)
            else:
                self._replays += 1
                self._seen[key] = self._agreements.of(record, relevant)
        return self._seen[key]

    def _in_run(self, record: CheckRecord, mistakes: Sequence[Known]) -> Agreement:
        """Agreement with mistakes that outlive a check: all checks before it are replayed on the same program."""
        key = (record.sitting, tuple(sorted(one.id for one in mistakes)))
        sitting = [one for one in self._records if one.sitting == record.sitting]
        if key not in self._runs:
            self._replays += len(sitting)
            self._runs[key] = self._agreements.in_order(sitting, mistakes)
        return self._runs[key][[one.id for one in sitting].index(record.id)]

    @staticmethod
    def _key(record: CheckRecord, relevant: Sequence[Known]) -> tuple[str, tuple[str, ...]]:
        return record.id, tuple(sorted(one.id for one in relevant))

    @staticmethod
    def _relevant(record: CheckRecord, mistakes: Sequence[Known]) -> bool:
        return any(one.part in record.parts for one in mistakes)
