"""Tensors as expressions that make them: short, and exact to the last bit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from grader.counterexample.entries import Cut, Exchanged, lengthened, view_of
from grader.counterexample.steps import Steps

_MOST_LISTED = 32
_MOST_NAMES = 4


def written(tensor: Tensor) -> str:
    """The tensor as an expression that makes it, its dtype and its kind of view included."""
    kind = view_of(tensor)
    if isinstance(kind, Exchanged):
        dense = tensor.transpose(kind.one, kind.other).contiguous()
        return f"{written(dense)}.transpose({kind.one}, {kind.other})"
    if isinstance(kind, Cut):
        return f"{written(lengthened(tensor, kind.axis))}[{':, ' * kind.axis}1:]"
    dtype = "" if tensor.dtype in (torch.float32, torch.int64) else f", dtype={tensor.dtype}"
    return _dense(tensor, dtype)


def is_plain(tensor: Tensor) -> bool:
    """Whether it is a multiple of an identity, or one number everywhere: nothing to write down number by number."""
    if tensor.numel() < 2:
        return tensor.numel() == 1 and float(tensor.flatten()[0]) in (0.0, 1.0)
    return bool((tensor == tensor.flatten()[0]).all()) or _times_identity(tensor) is not None


def _dense(tensor: Tensor, dtype: str) -> str:
    shape = ", ".join(map(str, tensor.shape))
    first = tensor.flatten()[0] if tensor.numel() else None
    if first is not None and tensor.is_floating_point() and tensor.numel() > 1:
        factor = _times_identity(tensor)
        if factor is not None:
            sizes = shape if tensor.shape[0] != tensor.shape[1] else str(tensor.shape[0])
            return f"{'' if factor == 1 else f'{factor:g} * '}torch.eye({sizes}{dtype})"
        if bool((tensor == first).all()):
            plain = {0.0: "zeros", 1.0: "ones"}.get(float(first))
            return f"torch.{plain}({shape}{dtype})" if plain else f"torch.full(({shape},), {number(first)}{dtype})"
    steps = tensor.flatten().double().diff()
    if tensor.numel() > 16 and bool((steps == 1).all()) and first is not None:
        start, end = int(first), int(first) + tensor.numel()
        point = "." if tensor.is_floating_point() else ""
        return f"torch.arange({start}{point}, {end}{dtype}).reshape({shape})"
    return f"torch.tensor({_nested(tensor)}{dtype})"


def shown(tensor: Tensor) -> str:
    """The numbers for a reader, without what only Python needs."""
    if tensor.numel() > _MOST_LISTED or (tensor.dim() == 2 and is_unit(tensor) and tensor.numel() > 1):
        return written(tensor)
    return _nested(tensor).replace(".,", ",").replace(".]", "]")


def _nested(tensor: Tensor) -> str:
    if tensor.dim() == 0:
        return number(tensor)
    return "[" + ", ".join(_nested(item) for item in tensor) + "]"


def number(value: Tensor) -> str:
    """The shortest decimal that becomes this element again."""
    if not value.is_floating_point():
        return str(int(value))
    for digits in range(1, 18):
        text = f"{float(value):.{digits}g}"
        if bool(torch.tensor(float(text), dtype=value.dtype) == value):
            break
    return text if any(sign in text for sign in ".en") else text + "."


def _times_identity(tensor: Tensor) -> float | None:
    """By what an identity is multiplied to give it; None when it is no multiple of one."""
    if tensor.dim() != 2 or tensor.numel() < 2:
        return None
    factor = float(tensor[0, 0])
    return factor if factor and bool((tensor == factor * torch.eye(*tensor.shape)).all()) else None


def is_unit(weight: Tensor) -> bool:
    """Whether it is an identity, or ones."""
    is_one = weight.numel() == 1 and float(weight.flatten()[0]) == 1
    return is_one or (_times_identity(weight) == 1 if weight.dim() == 2 else bool((weight == 1).all()))


def state_dict(weights: Mapping[str, Tensor], module: str) -> str:
    """A state dict; parameters of one value share one entry."""
    plain = all(value.dtype == torch.float32 and is_unit(value) for value in weights.values())
    if len(weights) > _MOST_NAMES and plain:
        value = "torch.eye(*p.shape) if p.dim() == 2 else torch.ones(len(p))"
        return f'{{n: {value} for n, p in {module}.named_parameters() if n.endswith("weight")}}'
    groups: dict[str, list[str]] = {}
    for name, tensor in weights.items():
        groups.setdefault(written(tensor), []).append(name)
    single = [f'"{names[0]}": {text}' for text, names in groups.items() if len(names) == 1]
    shared = [f'dict.fromkeys("{" ".join(names)}".split(), {text})' for text, names in groups.items() if len(names) > 1]
    return " | ".join([*shared, *(["{" + ", ".join(single) + "}"] if single else [])])


def count(steps: Steps) -> int:
    """How many numbers the example asks a reader to write down.

    Every element of every tensor that goes in, positions included, and whole-number arguments of functions. Of weights
    those that are neither an identity nor one value everywhere; sizes of modules are none.
    """
    total = 0
    for step in steps:
        total += sum(tensor.numel() for name, tensor in step.tensors() if name != "cotangent" or not is_plain(tensor))
        total += sum(weight.numel() for weight in step.weights.values() if not is_plain(weight))
        if step.on is None and step.op in ("call", "refused"):
            total += sum(isinstance(value, (int, float)) for value in step.arguments.values())
    return total


def fits(shape: Sequence[int], most: int) -> bool:
    """Whether a tensor of this shape is small enough to print."""
    return math.prod(shape) <= most
