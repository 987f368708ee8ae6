"""Inputs of checks, made from a stream of chance: everything that needs no knowledge of what is right.

``grader.numerics.draw`` has the stream of a run's seed and the designed inputs; an answer key has recorded ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from grader.contract import ModuleSpec, parameter_shapes

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64, "fp16": torch.float16}

FAR_POSITIONS = (0, 1, 2, 3, 5, 7, 11, 31, 100, 257, 259, 1023, 2049, 2051, 4099, 65537)
"""One position for each way to lose an integer: 257 is odd past 256 (bf16), 2049 past 2048 (FP16), 65537 out of FP16.
The small ones keep the allowed angle error small, so that rounded tables show."""


@dataclass(frozen=True)
class Designed:
    """A module, its input, and the exact output.

    Attributes:
        first: the first token for which ``expected`` holds; ``expected`` starts there.
    """

    spec: ModuleSpec
    x: Tensor
    expected: Tensor
    first: int = 0


class Stream(Protocol):
    """Where chance comes from."""

    def normal(self, *shape: int) -> Tensor:
        """Independent N(0, 1), FP32."""
        ...

    def uniform(self, *shape: int) -> Tensor:
        """Independent values in [0, 1), FP32."""
        ...

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Independent integers with ``low <= n < high``, int64."""
        ...

    def permutation(self, count: int) -> Tensor:
        """0 .. count-1 in random order, int64."""
        ...


class Designs(Protocol):
    """Inputs built so that one kind of mistake cannot hide; see ``grader.numerics.designed``."""

    def pointer(self, payload: Tensor, dtype: torch.dtype) -> Designed:
        """See ``designed.pointer``."""
        ...

    def saturated_gate(self, payload: Tensor, signs: Tensor, dtype: torch.dtype) -> Designed:
        """See ``designed.saturated_gate``."""
        ...

    def cancelling_pairs(self, positions: Tensor, *, heads: int, head_dim: int) -> Tensor:
        """See ``designed.cancelling_pairs``."""
        ...


class Inputs:
    """A source of inputs for one case of one check.

    Args:
        stream: of chance, for this case alone.
    """

    def __init__(self, stream: Stream, designs: Designs) -> None:
        self._stream, self._designs = stream, designs

    def normal(self, *shape: int, scale: float = 1.0, dtype: str = "fp32") -> Tensor:
        """Independent N(0, scale^2)."""
        return (scale * self._stream.normal(*shape)).to(DTYPES[dtype])

    def integers(self, *shape: int, low: int = 1, high: int = 128, dtype: str = "fp32") -> Tensor:
        """Signed whole numbers with ``low <= |n| < high``; below 256 they are exact in bf16."""
        size = self._stream.whole(low, high, *shape)
        sign = 1 - 2 * self._stream.whole(0, 2, *shape)
        return (size * sign).to(DTYPES[dtype])

    def powers_of_two(self, *shape: int, low: int = -2, high: int = 2, dtype: str = "fp32") -> Tensor:
        """+-2^k: multiplying by them rounds nothing, so the order of cast and product does not show."""
        exponent = self._stream.whole(low, high + 1, *shape)
        sign = 1 - 2 * self._stream.whole(0, 2, *shape)
        return (sign * torch.pow(2.0, exponent)).to(DTYPES[dtype])

    def near_one(self, *shape: int) -> Tensor:
        """Values in +-[0.5, 2): a gamma far from 1 and from 0."""
        size = 0.5 + 1.5 * self._stream.uniform(*shape)
        sign = 1 - 2 * self._stream.whole(0, 2, *shape)
        return size * sign

    def permutation(self, count: int) -> Tensor:
        """0 .. count-1 in random order."""
        return self._stream.permutation(count)

    def whole(self, low: int, high: int) -> int:
        """One integer with ``low <= n < high``."""
        return int(self._stream.whole(low, high))

    def even(self, low: int, high: int) -> int:
        """One even integer with ``low <= n < high``."""
        return 2 * self.whole(low // 2, high // 2)

    def pointer(self, dtype: str) -> Designed:
        """See ``designed.pointer``."""
        payload = self.integers(2, 9, 16)
        return self._designs.pointer(payload, DTYPES[dtype])

    def saturated_gate(self, dtype: str) -> Designed:
        """See ``designed.saturated_gate``."""
        return self._designs.saturated_gate(self.integers(2, 3, 8, high=8), self.integers(12, high=2), DTYPES[dtype])

    @staticmethod
    def far_positions() -> Tensor:
        """See ``FAR_POSITIONS``; ``[16]``."""
        return torch.tensor(FAR_POSITIONS)

    def cancelling_pairs(self, positions: Tensor, *, heads: int, d: int) -> Tensor:
        """See ``designed.cancelling_pairs``; bf16 ``[1, T, heads, d]``."""
        return self._designs.cancelling_pairs(positions, heads=heads, head_dim=d)

    @staticmethod
    def positions(*values: int) -> Tensor:
        """Positions ``[T]`` as given."""
        return torch.tensor(values)

    @staticmethod
    def rows(*rows: Sequence[int]) -> Tensor:
        """Positions ``[B, T]``, one row a sequence."""
        return torch.tensor([list(row) for row in rows])

    @staticmethod
    def arange(start: int, end: int) -> Tensor:
        """Positions start .. end-1."""
        return torch.arange(start, end)

    @staticmethod
    def tensor(values: Sequence[object], dtype: str = "fp32") -> Tensor:
        """The given numbers."""
        return torch.tensor(values, dtype=DTYPES[dtype])

    @staticmethod
    def full(*shape: int, value: float, dtype: str = "fp32") -> Tensor:
        """One value everywhere."""
        return torch.full(shape, value, dtype=DTYPES[dtype])

    def module(
        self,
        name: str,
        arguments: Mapping[str, int | float],
        *,
        gain: float = 1.0,
        dtype: str = "fp32",
        zero: Sequence[str] = (),
    ) -> ModuleSpec:
        """A module of the contract with random weights.

        Args:
            arguments: the constructor's, by the contract's names.
            gain: of the linear weights; their entries are ``N(0, gain^2 / inputs)``.
            dtype: of the linear weights; norms stay FP32, as the contract asks.
            zero: names (or parts of names) of parameters that are zero.
        """
        weights: dict[str, object] = {}
        for parameter, shape in parameter_shapes(name, arguments).items():
            if len(shape) == 1:
                weights[parameter] = self.near_one(*shape)
            else:
                weights[parameter] = self.normal(*shape, scale=gain / shape[1] ** 0.5, dtype=dtype)
            if any(part in parameter for part in zero):
                weights[parameter] = torch.zeros(shape, dtype=DTYPES[dtype if len(shape) > 1 else "fp32"])
        return ModuleSpec(name, arguments, weights)

    @staticmethod
    def with_weights(name: str, arguments: Mapping[str, int | float], weights: Mapping[str, Tensor]) -> ModuleSpec:
        """A module of the contract with designed weights."""
        return ModuleSpec(name, arguments, dict(weights))
