"""Answers of the oracle for a whole class: asked the same on the same inputs, it is not asked again.

Inputs come from the run's seed, so that every submission of a class is asked the same questions. Only what follows from
a submission's own answers differs. A key holds the case's seed, the method and all bytes of its arguments.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from torch import Tensor

from grader.contract import ModuleSpec
from grader.numerics.answer import Answer
from grader.numerics.bits import bits
from grader.oracle.live import Oracle

MOST_BYTES = 192 << 20
"""What is kept at most; a class with one seed needs a tenth of it."""


class KeptAnswers:
    """The answers, least recently used ones forgotten first.

    Args:
        most: bytes, as estimated from the tensors that an answer holds.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._bytes = most, 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def oracle(self, seed: int) -> Oracle:
        """An oracle for one case that looks here first."""
        return _KeptOracle(seed, self)

    def get(self, key: Hashable, size: int, answer: Callable[[], Any]) -> Any:
        """The answer, computed if need be.

        Args:
            size: bytes of the arguments, which the answer may hold too.
        """
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        found = answer()
        size += _size(found)
        self._kept[key] = found, size
        self._bytes += size
        while self._bytes > self._most and len(self._kept) > 1:
            _, (_, forgotten) = self._kept.popitem(last=False)
            self._bytes -= forgotten
        return found


class _KeptOracle(Oracle):
    def __init__(self, seed: int, kept: KeptAnswers) -> None:
        super().__init__(seed)
        self._kept = kept


def _looking_first(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def ask(self: _KeptOracle, *given: Any, **named: Any) -> Any:
        parts: list[bytes] = []
        size = _write(parts, (given, named))
        digest = hashlib.blake2b(b"".join(parts), digest_size=20).digest()
        return self._kept.get((self._seed, name, digest), size, lambda: method(self, *given, **named))

    return ask


for _name, _method in vars(Oracle).items():
    if not _name.startswith("_") and inspect.isfunction(_method):  # static methods are quick
        setattr(_KeptOracle, _name, _looking_first(_name, _method))


_PLAIN = (type(None), bool, int, float, str)


def _write(parts: list[bytes], value: Any) -> int:
    """Write a value down, unambiguously; returns the bytes of the tensors in it."""
    if isinstance(value, Tensor):
        raw = bits(value)
        parts += (f"tensor {value.dtype} {tuple(value.shape)}:".encode(), raw)
        return len(raw)
    if type(value) in _PLAIN:
        parts.append(f"{type(value).__name__} {value!r};".encode())
        return 0
    if isinstance(value, ModuleSpec):
        return _write(parts, (value.name, value.arguments, value.weights))
    if isinstance(value, Mapping):
        parts.append(f"map {len(value)}:".encode())
        return sum(_write(parts, key) + _write(parts, item) for key, item in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        items = list(value)
        parts.append(f"list {len(items)}:".encode())
        return sum(_write(parts, item) for item in items)
    raise TypeError(f"an oracle is asked about tensors and plain values, not {type(value).__name__}")


def _size(found: Any) -> int:
    """About how many bytes an answer holds: truth, bound, and what looks at a wrong tensor."""
    if isinstance(found, Answer):
        return 4 * found.truth.numel() * found.truth.element_size()
    if isinstance(found, Mapping):
        return sum(_size(item) for item in found.values())
    return sum(_size(item) for item in found) if isinstance(found, tuple) else 64
