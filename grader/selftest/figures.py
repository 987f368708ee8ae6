"""From many graded submissions to a few figures, each with its count and a 95 % Wilson interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, computed_field

_Z = 1.959964  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Graded:
    """What came of one submission of the bank with one seed.

    Attributes:
        failed: graded checks that did not pass.
        named: ids of the mistakes that the grader named.
        error: why it was not graded.
        seconds_a_failure: diagnosis time for each failed check.
    """

    name: str
    kind: str
    area: str
    seed: int
    faults: frozenset[str]
    killed_by: frozenset[str]
    failed: frozenset[str]
    named: tuple[str, ...]
    lost: int
    error: str | None
    seconds_a_failure: float


class Share(BaseModel):
    """``count`` of ``total``."""

    model_config = ConfigDict(extra="forbid")

    count: int
    total: int

    @computed_field  # type: ignore[prop-decorator]  # pydantic's order, which mypy does not know
    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the share."""
        if self.total == 0:
            return 0.0, 1.0
        share, n = self.count / self.total, self.total
        middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def share(self) -> float:
        """count / total; 0 of 0 is 0."""
        return self.count / self.total if self.total else 0.0


class Figures(BaseModel):
    """The selftest's result.

    Attributes:
        detection: by area: single mistakes that lost points at each check that must see them.
        false_fails: runs of correct submissions that lost a point, over all seeds.
        right_name: single mistakes that were named, and nothing else with them.
        wrong_name: single mistakes for which something else was named.
        both_names: pairs of mistakes for which both were named.
        multiplicity: points lost by a single mistake over the points of the checks that are there for it; the mean.
        missed: mistakes that were not detected.
        falsely_failed: correct submissions that lost points, with the checks.
        unnamed: single mistakes without the right name, with what was named.
        errors: submissions that were not graded.
    """

    model_config = ConfigDict(extra="forbid")

    detection: dict[str, Share]
    false_fails: Share
    right_name: Share
    wrong_name: Share
    both_names: Share
    multiplicity: float
    slowest_diagnosis: float
    missed: list[str]
    falsely_failed: dict[str, list[str]]
    unnamed: dict[str, list[str]]
    errors: dict[str, str]

    def worse_than(self, before: Figures) -> list[str]:
        """In which figures this result is worse than an earlier one, in words."""
        worse = []
        for area, share in before.detection.items():
            if self.detection.get(area, Share(count=0, total=0)).share < share.share:
                worse.append(f"detection of {area}")
        for name, more_is_better in _COMPARED.items():
            now, then = getattr(self, name), getattr(before, name)
            now, then = (value.share if isinstance(value, Share) else value for value in (now, then))
            if (now < then - 1e-9) if more_is_better else (now > then + 1e-9):
                worse.append(name.replace("_", " "))
        if self.multiplicity > before.multiplicity + 0.005:  # as far as it is printed
            worse.append("points lost by a single mistake / its own points")
        return worse


_COMPARED = {"false_fails": False, "right_name": True, "wrong_name": False, "both_names": True}


def summarise(graded: Sequence[Graded], points: Mapping[str, int]) -> Figures:
    """Figures over all runs."""
    by_kind: dict[str, list[Graded]] = {"wrong": [], "pair": [], "correct": [], "advice": []}
    for one in graded:
        by_kind[one.kind].append(one)
    wrong, right = by_kind["wrong"], by_kind["correct"] + by_kind["advice"]
    areas = sorted({one.area for one in wrong})
    named = [one for one in wrong if one.named]
    return Figures(
        detection={area: _share((one for one in wrong if one.area == area), _is_detected) for area in areas},
        false_fails=_share(right, lambda one: bool(one.failed)),
        right_name=_share(wrong, lambda one: set(one.named) == one.faults),
        wrong_name=Share(count=sum(not set(one.named) <= one.faults for one in named), total=len(wrong)),
        both_names=_share(by_kind["pair"], lambda one: set(one.named) == one.faults),
        multiplicity=_mean([one.lost / _own(one, points) for one in wrong if _own(one, points)]),
        slowest_diagnosis=max((one.seconds_a_failure for one in graded), default=0.0),
        missed=[one.name for one in wrong if not _is_detected(one)],
        falsely_failed={f"{one.name} (seed {one.seed})": sorted(one.failed) for one in right if one.failed},
        unnamed={one.name: list(one.named) for one in [*wrong, *by_kind["pair"]] if set(one.named) != one.faults},
        errors={f"{one.name} (seed {one.seed})": one.error for one in graded if one.error is not None},
    )


def _is_detected(one: Graded) -> bool:
    return one.lost > 0 and one.killed_by <= one.failed


def _own(one: Graded, points: Mapping[str, int]) -> int:
    return sum(points[check] for check in one.killed_by)


def _share(graded: Iterable[Graded], is_counted: Callable[[Graded], bool]) -> Share:
    outcomes = [is_counted(one) for one in graded]
    return Share(count=sum(outcomes), total=len(outcomes))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
