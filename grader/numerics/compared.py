"""One wrong tensor beside the truth: what pictures are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.numerics.locate import Facts
from grader.pictures import Picture


@dataclass(frozen=True)
class Compared:
    """A comparison that failed.

    Attributes:
        actual: the submission's tensor, finite, FP64.
        truth: FP64, same shape.
        ratio: excess in units of the bound; above 1 is wrong.
        allowed: by how much the answer may differ from the truth, its last rounding included.
        axes: names of the axes.
        first: index of the first wrong element, which the message names.
        dtype: of the answer.
    """

    actual: Tensor
    truth: Tensor
    ratio: Tensor
    allowed: Tensor
    axes: tuple[str, ...]
    first: tuple[int, ...]
    dtype: torch.dtype

    @property
    def row(self) -> int:
        """The sequence of the batch that the message names."""
        return self.first[0] if self.axes[:1] == ("B",) else 0


@dataclass(frozen=True)
class Seen:
    """What can be said of a wrong tensor beyond where it is wrong."""

    facts: Facts
    pictures: list[Picture]


NOTHING = Seen({}, [])
Inspect = Callable[[Compared], Seen]
