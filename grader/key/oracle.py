"""Right answers as they were recorded, for the same questions in the same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.contract import ModuleSpec
from grader.errors import GraderError
from grader.key.cases import RecordedAnswer, RecordedCall
from grader.key.flat import unpack
from grader.numerics.answer import Answer, Gradients, WholeNumbers, nearly
from grader.source import BASE, Cached


class KeyedOracle:
    """Answers for one case of one check; see ``source.Oracle``.

    The questions do not depend on what the submission answered, so their number tells them apart. What needs no
    knowledge (``exactly``, ``nearly``, ``whole_numbers``) is not recorded.
    """

    def __init__(self, flat: Mapping[str, Tensor], recorded: Sequence[RecordedCall]) -> None:
        self._flat, self._left = flat, iter(recorded)

    def norm(self, spec: ModuleSpec, x: Tensor) -> Answer:
        """See Oracle.norm."""
        return self._answer("norm")

    def rope_frequencies(self, head_dim: int, base: float = BASE) -> Answer:
        """See Oracle.rope_frequencies."""
        return self._answer("rope_frequencies")

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = BASE) -> tuple[Answer, Answer]:
        """See Oracle.rope_cos_sin."""
        cos, sin = self._answers("rope_cos_sin")
        return cos, sin

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = BASE) -> Answer:
        """See Oracle.apply_rope."""
        return self._answer("apply_rope")

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Answer:
        """See Oracle.grouped_query_attention."""
        return self._answer("grouped_query_attention")

    def module(self, spec: ModuleSpec, x: Tensor, *, positions: Tensor | None = None) -> Answer:
        """See Oracle.module."""
        return self._answer("module")

    def cached(self, spec: ModuleSpec, x: Tensor, positions: Tensor) -> Cached:
        """See Oracle.cached."""
        keys, values = self._answers("cached")
        return Cached(keys, values)

    def exactly(self, truth: Tensor, *, like: Tensor, axes: str, name: str) -> Answer:
        """See Oracle.exactly."""
        return nearly(truth, 0.0, like=like, axes=axes, name=name)

    def nearly(self, truth: Tensor, allowed: float, *, like: Tensor, axes: str, name: str) -> Answer:
        """See Oracle.nearly."""
        return nearly(truth, allowed, like=like, axes=axes, name=name)

    def module_gradients(self, spec: ModuleSpec, x: Tensor, cotangent: Tensor) -> Gradients:
        """See Oracle.module_gradients."""
        return self._gradients("module_gradients")

    def function_gradients(self, name: str, arguments: Mapping[str, Any], cotangent: Tensor) -> Gradients:
        """See Oracle.function_gradients."""
        return self._gradients("function_gradients")

    def kv_cache_bytes(self, *sizes: int) -> WholeNumbers:
        """See Oracle.kv_cache_bytes."""
        return self._numbers("kv_cache_bytes")

    def swiglu_hidden_dim(self, dim: int, multiple_of: int) -> WholeNumbers:
        """See Oracle.swiglu_hidden_dim."""
        return self._numbers("swiglu_hidden_dim")

    def whole_numbers(self, values: list[int], name: str) -> WholeNumbers:
        """See Oracle.whole_numbers."""
        return WholeNumbers(values, values, name)

    def _answer(self, method: str) -> Answer:
        (answer,) = self._answers(method)
        return answer

    def _answers(self, method: str) -> list[Answer]:
        return [self._unpacked(one) for one in self._next(method).answers]

    def _gradients(self, method: str) -> Gradients:
        call = self._next(method)
        return Gradients(zip(call.sources, map(self._unpacked, call.answers), strict=True))

    def _numbers(self, method: str) -> WholeNumbers:
        found = self._next(method).numbers
        if found is None:
            raise GraderError(f"the answer key has no numbers for {method}")
        return WholeNumbers(found.low, found.high, found.name, found.multiple_of)

    def _next(self, method: str) -> RecordedCall:
        call = next(self._left, None)
        if call is None or call.method != method:
            raise GraderError(f"the answer key is of another version of the checks: it has no answer for {method}")
        return call

    def _unpacked(self, one: RecordedAnswer) -> Answer:
        def limit() -> Tensor:
            if one.limit is None:
                raise GraderError(f"the answer key has no bound for {one.name}")
            return unpack(self._flat, one.limit).double()

        positions = None if one.positions is None else unpack(self._flat, one.positions)
        truth, dtype = unpack(self._flat, one.truth), getattr(torch, one.dtype)
        return Answer(truth, limit, dtype, one.axes, one.name, positions=positions, pairs=one.pairs)
