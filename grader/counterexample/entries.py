"""Plain numbers for tensors of any size, and tensors that are views as a check's own were."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

ORIGINAL = -1
"""The variant that keeps the check's own numbers."""
ROUNDED = -2
"""The same, rounded to one decimal place."""
VARIANTS = (0, 1, 2, 4, 3)
"""Plain numbers with weights that change nothing: identities, gamma 1, bias 0."""
WEIGHTED = (11, 12)
"""Plain numbers, and small whole numbers for weights."""
_PERIODS = {
    1: (1, 3, 2, -1, 4, 0, -2, 5),
    2: (1, 0, 0, 1, 2, 1, -1, 1, 0, 2, 1),
    4: (1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 2),
    3: (0.1, 0.7, 0.3, 1.1, 0.9, 0.6, 1.3, 0.2, 1.7, 0.4, 1.9, 2.3, 0.8),
}
_STARTS = {"x": 0, "q": 0, "k": 3, "v": 5, "cotangent": 1}
_SMALL, _LARGE = 0.05, 300.0


@dataclass(frozen=True)
class Exchanged:
    """A view with two axes exchanged."""

    one: int
    other: int


@dataclass(frozen=True)
class Cut:
    """A view of the later part of an axis."""

    axis: int


def filled(name: str, shape: Sequence[int], like: Tensor, variant: int, offset: int = 0) -> Tensor:
    """A tensor of ``shape`` with plain numbers, of the dtype and the size of numbers of ``like``.

    Args:
        name: of the argument or parameter, which decides what is plain: identity-like for a matrix, ones for gamma.
        like: the check's own tensor; where all its numbers are the same, so are these.
        variant: of VARIANTS.
        offset: how many numbers of this name came in earlier calls.
    """
    count = math.prod(shape)
    if like.numel() > 1 and bool((like == like.flatten()[0]).all()):
        return torch.full(tuple(shape), float(like.flatten()[0]), dtype=like.dtype)
    is_weighted, period = divmod(variant, 10)
    if name.endswith(("weight", "bias")):
        return _weight(name, shape, variant).to(like.dtype)
    start = offset + _STARTS.get(name, 0)
    if name == "cotangent":
        plain = _period(1, start, count) if is_weighted or variant == 1 else torch.ones(count)
    elif variant == 0 and name == "k":
        plain = torch.arange(count, 0, -1.0) + offset
    elif variant == 0:
        plain = torch.arange(1.0, count + 1) + offset
    else:
        plain = _period(period, start, count)
    plain = plain * _scale(like)
    return plain.reshape(tuple(shape)).to(like.dtype)


def shaped_as(tensor: Tensor, like: Tensor) -> Tensor:
    """``tensor`` as a view of the kind that ``like`` is: dense, transposed, or a part of something longer."""
    kind = view_of(like)
    if kind is None or tensor.dim() != like.dim():
        return tensor
    if isinstance(kind, Exchanged):
        return tensor.transpose(kind.one, kind.other).contiguous().transpose(kind.one, kind.other)
    return lengthened(tensor, kind.axis).narrow(kind.axis, 1, tensor.shape[kind.axis])


def lengthened(tensor: Tensor, axis: int) -> Tensor:
    """``tensor`` with zeros at index 0 of ``axis``, before all that it holds."""
    base = tensor.new_zeros([size + (index == axis) for index, size in enumerate(tensor.shape)])
    base.narrow(axis, 1, tensor.shape[axis]).copy_(tensor)
    return base


def with_base(tensor: Tensor) -> Tensor:
    """A view as one of a tensor with one index more, which is short to write down."""
    return shaped_as(tensor, tensor)


def view_of(tensor: Tensor) -> Exchanged | Cut | None:
    """How a tensor lies in memory: None for densely, two axes that were exchanged, or the axis that was cut."""
    if tensor.is_contiguous() and tensor._base is None:
        return None
    order = sorted(range(tensor.dim()), key=lambda axis: (-tensor.stride()[axis], axis))
    exchanged = [axis for axis, place in enumerate(order) if axis != place]
    if len(exchanged) == 2:
        return Exchanged(*exchanged)
    for axis in range(1, tensor.dim()):
        if tensor.stride(axis - 1) > tensor.stride(axis) * tensor.shape[axis]:
            return Cut(axis)
    base = tensor._base
    return Cut(0) if base is not None and base.numel() > tensor.numel() else None


def _weight(name: str, shape: Sequence[int], variant: int) -> Tensor:
    """A parameter; in later layers it is larger, so that their order shows."""
    layer = int(name.split(".")[1]) if name.startswith("blocks.") else 0
    size = 1.0 + layer * (variant > 0)
    if len(shape) == 1:
        first = float(not name.endswith("bias"))
        return first + torch.arange(1.0, shape[0] + 1) if variant in WEIGHTED else torch.full(tuple(shape), first)
    rows, columns = shape
    if variant not in WEIGHTED:
        return size * torch.eye(rows, columns)
    start = rows + sum(map(ord, name)) % 7
    return size * _period(variant % 10, start, rows * columns).reshape(rows, columns)


def _period(variant: int, start: int, count: int) -> Tensor:
    period = _PERIODS[variant]
    return torch.tensor([float(period[(start + index) % len(period)]) for index in range(count)])


def _scale(like: Tensor) -> float:
    """A power of ten where the check's own numbers are far from 1: eps shows in small ones only."""
    size = float(like.double().square().mean().sqrt()) if like.numel() else 1.0
    return 10.0 ** round(math.log10(size)) if 0 < size < _SMALL or size > _LARGE else 1.0
