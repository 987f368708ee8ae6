"""An expected result, and whether a submission's tensor is one: shape, then dtype, then finite, then values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from grader.errors import CheckFailure
from grader.numerics.accepted import Accepted, comparison
from grader.numerics.compared import NOTHING, Compared, Inspect
from grader.numerics.locate import locate
from grader.numerics.profiles import profiles
from grader.numerics.rounding import excess, nearest
from grader.pictures import MOST_PICTURES

_accepted = Accepted()


@dataclass(frozen=True)
class Answer:
    """What a right program may return.

    Attributes:
        truth: FP64, the exact values.
        limit: see ``bound``; a function is called only when values are compared (bounds by noise cost milliseconds).
        dtype: of the result.
        axes: names of the axes in order, e.g. ``B T H d``.
        name: what was called, for the message.
        inspect: looks at a wrong tensor and says more about it than ``locate`` and ``profiles`` can.
        positions: of the tokens, ``[T]`` or ``[B, T]``; None: their index.
        pairs: the last axis holds RoPE's pairs.
    """

    truth: Tensor
    limit: Tensor | Callable[[], Tensor]
    dtype: torch.dtype
    axes: str
    name: str
    inspect: Inspect | None = None
    positions: Tensor | None = None
    pairs: bool = False

    @functools.cached_property
    def bound(self) -> Tensor:
        """FP64: how far a legal computation may be from the truth before its last rounding; zeros ask for equality."""
        return self.limit if isinstance(self.limit, Tensor) else self.limit()

    def accepts(self, actual: Tensor, *, any_dtype: bool = False) -> None:
        """Return when ``actual`` is admissible. Raises CheckFailure.

        Args:
            any_dtype: judge the values only, rounded to the expected dtype; another check asks for the dtype itself.
        """
        if any_dtype and actual.dtype != self.dtype and actual.is_floating_point():
            actual = nearest(actual.double(), self.dtype)
        self._must_have_shape_and_dtype(actual)
        key = comparison(actual, self.truth, self.bound)
        if key in _accepted:
            return
        self._must_be_finite(actual)
        ratio = excess(actual, self.truth) / torch.clamp_min(self.bound, 2.0**-1074)
        wrong = ~(ratio <= 1)  # NaN compares false, so it would count as wrong
        if bool(wrong.any()):
            self._raise_values(actual, ratio, wrong)
        _accepted.add(key)

    def accepts_from(self, actual: Tensor, start: int, *, any_dtype: bool = False) -> None:
        """Judge ``actual [B, start + T, ...]`` from token ``start`` on. Raises CheckFailure."""
        batch, tokens, *rest = self.truth.shape
        self._must_have_shape(actual, [batch, start + tokens, *rest])
        self.accepts(actual[:, start:], any_dtype=any_dtype)

    def has_form(self, actual: Tensor) -> None:
        """Return when shape and dtype are right and every element is finite. Raises CheckFailure."""
        self._must_have_shape_and_dtype(actual)
        self._must_be_finite(actual)

    def tokens(self, start: int, end: int) -> Answer:
        """The answer restricted to tokens start .. end-1 of ``[B, T, ...]``."""
        at = None if self.positions is None else self.positions[..., start:end]
        return replace(self, truth=self.truth[:, start:end], limit=self.bound[:, start:end], inspect=None, positions=at)

    def coarse(self, apply: bool = True) -> Answer:
        """The answer with room for bf16 arithmetic inside, for checks whose promise is not precision."""
        room = 2.0**-5 * (self.truth.abs() + self.truth.square().mean().sqrt())
        return replace(self, limit=self.bound + room) if apply else self

    def ratio(self, actual: Tensor) -> float:
        """Largest excess in units of the bound: at most 1 passes."""
        return float((excess(actual.detach(), self.truth) / torch.clamp_min(self.bound, 2.0**-1074)).max())

    def _must_have_shape(self, actual: Tensor, expected: list[int]) -> None:
        if list(actual.shape) != expected:
            raise CheckFailure(
                "values.shape",
                name=self.name,
                axes=_bracket(self.axes.split()),
                expected=expected,
                actual=list(actual.shape),
            )

    def _must_have_shape_and_dtype(self, actual: Tensor) -> None:
        self._must_have_shape(actual, list(self.truth.shape))
        if actual.dtype != self.dtype:
            raise CheckFailure("values.dtype", name=self.name, expected=_dtype(self.dtype), actual=_dtype(actual.dtype))

    def _must_be_finite(self, actual: Tensor) -> None:
        finite = torch.isfinite(actual)
        if bool(finite.all()):
            return
        bad = (~finite).nonzero()
        index = bad[0].tolist()
        raise CheckFailure(
            "values.not-finite",
            name=self.name,
            axes=_bracket(self.axes.split()),
            index=index,
            actual=_number(float(actual[tuple(index)])),
            expected=_number(float(self.truth[tuple(index)])),
            count=len(bad),
            total=actual.numel(),
            evidence={"not_finite": len(bad)},
        )

    def _raise_values(self, actual: Tensor, ratio: Tensor, wrong: Tensor) -> None:
        places = wrong.nonzero()
        index = places[0].tolist()
        at = tuple(index)
        difference = (actual.double() - self.truth).abs()
        worst = int(difference.argmax())
        expected = nearest(self.truth, self.dtype) if self.dtype.is_floating_point else self.truth
        compared = self._compared(actual, ratio, at)
        seen = self.inspect(compared) if self.inspect else NOTHING
        facts = locate(actual, self.truth, wrong, self.axes) | seen.facts
        pictures = [*seen.pictures, *profiles(compared, self.positions, pairs=self.pairs)]
        raise CheckFailure(
            "values.differ",
            name=self.name,
            axes=_bracket(self.axes.split()),
            index=index,
            expected=_number(float(expected[at])),
            actual=_number(float(actual[at])),
            count=len(places),
            total=actual.numel(),
            largest=_number(float(difference.flatten()[worst])),
            allowed=_number(float(self.bound[at])),
            evidence={
                "wrong": len(places),
                "total": actual.numel(),
                "first": index,
                "largest_difference": float(difference.flatten()[worst]),
                "ratio": min(float(ratio.max()), 1e30),
                "dtype": _dtype(self.dtype),
                **{f"where: {name}": fact for name, fact in facts.items()},
            },
            pictures=pictures[:MOST_PICTURES],
        )

    def _compared(self, actual: Tensor, ratio: Tensor, first: tuple[int, ...]) -> Compared:
        wide = actual.double()
        allowed = (wide - self.truth).abs() - excess(actual, self.truth) + self.bound
        return Compared(wide, self.truth, ratio, allowed, tuple(self.axes.split()), first, self.dtype)


def nearly(truth: Tensor, allowed: float, *, like: Tensor, axes: str, name: str) -> Answer:
    """Values that every right program gives but for ``allowed``, in ``like``'s dtype."""
    return Answer(truth.double(), torch.full(truth.shape, allowed, dtype=torch.float64), like.dtype, axes, name)


@dataclass(frozen=True)
class WholeNumbers:
    """Integers that a right program returns, each within a range.

    Attributes:
        low: smallest admissible values.
        high: largest admissible values.
        name: what was asked for, for the message.
        multiple_of: of which every value must be a multiple.
    """

    low: list[int]
    high: list[int]
    name: str
    multiple_of: int = 1

    def accept(self, actual: list[int]) -> None:
        """Return when every number is admissible. Raises CheckFailure."""
        for low, high, value in zip(self.low, self.high, actual, strict=True):
            if not low <= value <= high or value % self.multiple_of:
                raise CheckFailure("values.whole-number", name=self.name, expected=self._range(), actual=actual)

    def _range(self) -> str:
        if self.low == self.high:
            return str(self.low)
        multiple = f", a multiple of {self.multiple_of}" if self.multiple_of > 1 else ""
        return " ".join(f"{low} .. {high}{multiple}" for low, high in zip(self.low, self.high, strict=True))


class Gradients(dict[str, Answer]):
    """Expected gradients by the name of what they belong to."""

    def accepts(self, actual: Mapping[str, Tensor | None]) -> None:
        """Return when every gradient is there and admissible. Raises CheckFailure."""
        for name, expected in self.items():
            gradient = actual.get(name)
            if gradient is None:
                raise CheckFailure("gradients.none", name=expected.name, source=name)
            expected.accepts(gradient)


def _bracket(items: list[str]) -> str:
    return "[" + ", ".join(items) + "]"


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _number(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else str(value)
