"""Comparisons that came out well: in a class the same bits are held against the same truth again and again.

Most right programs round to the same bf16 numbers. To know that takes a tenth of the time of working it out again, and
what is remembered follows from nothing but the bits.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from torch import Tensor

from grader.numerics.bits import bits

MOST = 10_000
"""Comparisons that are remembered, 100 bytes each; those of one submission are 200."""


class Accepted:
    """A memory of comparisons, the least recently used ones forgotten first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def __contains__(self, key: bytes) -> bool:
        """Whether this comparison was added, and is remembered."""
        if key not in self._known:
            return False
        self._known.move_to_end(key)
        return True

    def add(self, key: bytes) -> None:
        """Remember a comparison."""
        self._known[key] = None
        if len(self._known) > self._most:
            self._known.popitem(last=False)


def comparison(actual: Tensor, truth: Tensor, bound: Tensor) -> bytes:
    """Stands for all that decides whether ``actual``, of the right shape and dtype, is admissible."""
    forms = (actual.dtype, actual.shape, truth.shape, bound.shape)
    return hashlib.blake2b(b"".join((repr(forms).encode(), *map(bits, (actual, truth, bound))))).digest()
