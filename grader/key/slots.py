"""One exchange with a submission, beside every answer to it that a key knows."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from grader.diagnosis.agreement import (
    NOTHING,
    Agreement,
    Rows,
    elementwise,
    reach_of,
    root_mean_square_of,
    same,
    together,
)
from grader.key.flat import unpack
from grader.key.reduced import Reduced, reduced
from grader.key.tables import RecordedForm
from grader.transcript import Exchange

COARSE = 1e-3
"""Relative distance that FP16 values are compared with: they hold 11 bits."""


class Slot:
    """Compares the submission's answer with those of the table.

    Args:
        flat: of the key.
        forms: of this slot.
    """

    def __init__(self, flat: Mapping[str, Tensor], forms: Sequence[RecordedForm], exchange: Exchange) -> None:
        self._flat, self._forms = flat, forms
        self.theirs: Reduced = reduced(exchange.answer, exchange.request.get("op"))
        self._reach = reach_of(exchange.request)

    def with_answer(self, number: int) -> Agreement:
        """With one of the answers that programs with one mistake give; 0 is right."""
        form, row = self._place(number)
        if form.digest != self.theirs.form:
            return NOTHING
        return together([rows.row(row) for rows in self._rows]) if form.places else same(True)

    def fails_with(self, number: int) -> bool:
        """Whether that answer is an exception."""
        return self._place(number)[0].failed

    def at(self, elements: Sequence[int], values: Tensor) -> Agreement:
        """With some elements of an answer of the same form, FP16 or FP32."""
        size = self._sizes[list(elements)] + values.double().nan_to_num(0.0, 0.0, 0.0).abs()
        theirs, ours = self.theirs.elements[list(elements)], values.double()
        if not torch.equal(torch.isfinite(theirs), torch.isfinite(ours)):
            return NOTHING
        close = (theirs - ours).nan_to_num(0.0, 0.0, 0.0).abs() <= COARSE * self._reach * size
        share = float(close.double().mean())
        return Agreement(share, share, 0.0 if share == 1 else 1.0)

    def finely_at(self, elements: Sequence[int], values: Tensor) -> Agreement:
        """As ``at``, for FP32 values: leaf by leaf, as whole tensors are compared."""
        found = []
        for leaf, dtype, start, size in self._leaves():
            chosen = [index for index, element in enumerate(elements) if start <= element < start + len(leaf)]
            if chosen:
                places = [elements[index] - start for index in chosen]
                ours = values[chosen].double()[None]
                found.append(elementwise(leaf[places], ours, size, dtype, self._reach).row(0))
        return together(found)

    @functools.cached_property
    def _rows(self) -> list[Rows]:
        """How the answers of the submission's own form agree with it, tensor by tensor."""
        form = next(one for one in self._forms if one.digest == self.theirs.form)
        assert form.values is not None  # noqa: S101 - has places
        values, found = unpack(self._flat, form.values).double(), []
        for leaf, dtype, start, size in self._leaves():
            chosen = [index for index, place in enumerate(form.places) if start <= place < start + len(leaf)]
            places = [form.places[index] - start for index in chosen]
            found.append(elementwise(leaf[places], values[:, chosen], size, dtype, self._reach))
        return found

    @functools.cached_property
    def _sizes(self) -> Tensor:
        return torch.cat([size.expand(len(leaf)) for leaf, _, _, size in self._leaves()])

    def _leaves(self) -> list[tuple[Tensor, torch.dtype, int, Tensor]]:
        """Elements, dtype, where they start among all, and the root mean square of each tensor."""
        found, start = [], 0
        for leaf, dtype in zip(self.theirs.leaves, self.theirs.dtypes, strict=True):
            found.append((leaf, dtype, start, root_mean_square_of(leaf)))
            start += len(leaf)
        return found

    def _place(self, number: int) -> tuple[RecordedForm, int]:
        for form in self._forms:
            if number < form.count:
                return form, number
            number -= form.count
        raise IndexError(number)
