"""Inputs as they were recorded: the same bits on every machine and with every version of torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import torch
from torch import Tensor

from grader.contract import ModuleSpec
from grader.errors import GraderError
from grader.key.cases import RecordedDesign
from grader.key.flat import Ref, unpack
from grader.numerics.inputs import Designed


class RecordedChance:
    """Gives back what a stream gave, in the same order; see ``inputs.Stream``."""

    def __init__(self, flat: Mapping[str, Tensor], recorded: Sequence[Ref]) -> None:
        self._flat, self._left = flat, iter(recorded)

    def normal(self, *shape: int) -> Tensor:
        """See Stream.normal."""
        return self._next(shape).float()

    def uniform(self, *shape: int) -> Tensor:
        """See Stream.uniform."""
        return self._next(shape).float()

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """See Stream.whole."""
        return self._next(shape).long()

    def permutation(self, count: int) -> Tensor:
        """See Stream.permutation."""
        return self._next((count,)).long()

    def _next(self, shape: tuple[int, ...]) -> Tensor:
        ref = next(self._left, None)
        found = None if ref is None else unpack(self._flat, ref)
        if found is None or found.shape != shape:
            raise GraderError("the answer key is of another version of the checks: an input has another shape")
        return found


class RecordedDesigns:
    """Gives back designed inputs, in the same order; see ``inputs.Designs``."""

    def __init__(self, flat: Mapping[str, Tensor], recorded: Sequence[RecordedDesign]) -> None:
        self._flat, self._left = flat, iter(recorded)

    def pointer(self, payload: Tensor, dtype: torch.dtype) -> Designed:
        """See Designs.pointer."""
        return self._module()

    def saturated_gate(self, payload: Tensor, signs: Tensor, dtype: torch.dtype) -> Designed:
        """See Designs.saturated_gate."""
        return self._module()

    def cancelling_pairs(self, positions: Tensor, *, heads: int, head_dim: int) -> Tensor:
        """See Designs.cancelling_pairs."""
        return unpack(self._flat, self._next().x)

    def _module(self) -> Designed:
        found = self._next()
        weights: dict[str, object] = {name: unpack(self._flat, ref) for name, ref in found.weights.items()}
        spec = ModuleSpec(found.name, found.arguments, weights)
        expected = unpack(self._flat, cast("Ref", found.expected))
        return Designed(spec, unpack(self._flat, found.x), expected, found.first)

    def _next(self) -> RecordedDesign:
        found = next(self._left, None)
        if found is None:
            raise GraderError("the answer key is of another version of the checks: a designed input is missing")
        return found
