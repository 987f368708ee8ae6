"""Inputs of checks, from the run's seed: not known before the run, and the same in two runs of one seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from grader.contract import ModuleSpec, parameter_shapes
from grader.numerics import designed

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64, "fp16": torch.float16}


class Draw:
    """A source of random inputs for one case of one check.

    Args:
        seed: the run's seed.
        label: the check's id and case, so that every check has a stream of its own.
    """

    def __init__(self, seed: int, label: str) -> None:
        digest = hashlib.sha256(f"{seed}/{label}".encode()).digest()
        self.seed = int.from_bytes(digest[:7], "little")
        self._generator = torch.Generator().manual_seed(self.seed)

    def normal(self, *shape: int, scale: float = 1.0, dtype: str = "fp32") -> Tensor:
        """Independent N(0, scale^2)."""
        return (scale * torch.randn(*shape, generator=self._generator)).to(_DTYPES[dtype])

    def integers(self, *shape: int, low: int = 1, high: int = 128, dtype: str = "fp32") -> Tensor:
        """Signed whole numbers with ``low <= |n| < high``; below 256 they are exact in bf16."""
        size = torch.randint(low, high, shape, generator=self._generator)
        sign = 1 - 2 * torch.randint(0, 2, shape, generator=self._generator)
        return (size * sign).to(_DTYPES[dtype])

    def powers_of_two(self, *shape: int, low: int = -2, high: int = 2, dtype: str = "fp32") -> Tensor:
        """+-2^k: multiplying by them rounds nothing, so the order of cast and product does not show."""
        exponent = torch.randint(low, high + 1, shape, generator=self._generator)
        sign = 1 - 2 * torch.randint(0, 2, shape, generator=self._generator)
        return (sign * torch.pow(2.0, exponent)).to(_DTYPES[dtype])

    def near_one(self, *shape: int) -> Tensor:
        """Values in +-[0.5, 2): a gamma far from 1 and from 0."""
        size = 0.5 + 1.5 * torch.rand(*shape, generator=self._generator)
        sign = 1 - 2 * torch.randint(0, 2, shape, generator=self._generator)
        return size * sign

    def permutation(self, count: int) -> Tensor:
        """0 .. count-1 in random order."""
        return torch.randperm(count, generator=self._generator)

    def whole(self, low: int, high: int) -> int:
        """One integer with ``low <= n < high``."""
        return int(torch.randint(low, high, (), generator=self._generator))

    def even(self, low: int, high: int) -> int:
        """One even integer with ``low <= n < high``."""
        return 2 * self.whole(low // 2, high // 2)

    def pointer(self, dtype: str) -> designed.Designed:
        """See ``designed.pointer``."""
        payload = self.integers(2, 9, 16)
        return designed.pointer(payload, _DTYPES[dtype])

    def saturated_gate(self, dtype: str) -> designed.Designed:
        """See ``designed.saturated_gate``."""
        return designed.saturated_gate(self.integers(2, 3, 8, high=8), self.integers(12, high=2), _DTYPES[dtype])

    @staticmethod
    def far_positions() -> Tensor:
        """See ``designed.FAR_POSITIONS``; ``[16]``."""
        return torch.tensor(designed.FAR_POSITIONS)

    @staticmethod
    def cancelling_pairs(positions: Tensor, *, heads: int, d: int) -> Tensor:
        """See ``designed.cancelling_pairs``; bf16 ``[1, T, heads, d]``."""
        return designed.cancelling_pairs(positions, heads=heads, head_dim=d)

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
        return torch.tensor(values, dtype=_DTYPES[dtype])

    @staticmethod
    def full(*shape: int, value: float, dtype: str = "fp32") -> Tensor:
        """One value everywhere."""
        return torch.full(shape, value, dtype=_DTYPES[dtype])

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
                weights[parameter] = torch.zeros(shape, dtype=_DTYPES[dtype if len(shape) > 1 else "fp32"])
        return ModuleSpec(name, arguments, weights)

    @staticmethod
    def with_weights(name: str, arguments: Mapping[str, int | float], weights: Mapping[str, Tensor]) -> ModuleSpec:
        """A module of the contract with designed weights."""
        return ModuleSpec(name, arguments, dict(weights))
