"""Inputs of checks, from the run's seed: not known before the run, and the same in two runs of one seed."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor

from grader.numerics import designed
from grader.numerics.inputs import Inputs


class Draw(Inputs):
    """A source of random inputs for one case of one check.

    Args:
        seed: the run's seed.
        label: the check's id and case, so that every check has a stream of its own.
    """

    def __init__(self, seed: int, label: str) -> None:
        digest = hashlib.sha256(f"{seed}/{label}".encode()).digest()
        self.seed = int.from_bytes(digest[:7], "little")
        super().__init__(Chance(self.seed), designed)


class Chance:
    """Torch's own generator; see ``inputs.Stream``."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """See Stream.normal."""
        return torch.randn(*shape, generator=self._generator)

    def uniform(self, *shape: int) -> Tensor:
        """See Stream.uniform."""
        return torch.rand(*shape, generator=self._generator)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """See Stream.whole."""
        return torch.randint(low, high, shape, generator=self._generator)

    def permutation(self, count: int) -> Tensor:
        """See Stream.permutation."""
        return torch.randperm(count, generator=self._generator)
