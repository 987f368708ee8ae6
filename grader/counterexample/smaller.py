"""The same steps with other sizes and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from grader.contract import parameter_shapes
from grader.counterexample.axes import axes, layers_of, numbers, resolved
from grader.counterexample.entries import ORIGINAL, ROUNDED, filled, shaped_as
from grader.counterexample.steps import Step, Steps, without

FROM_ONE, FROM_ZERO, BACKWARDS, ORIGINAL_PLACES = "1, 2, 3", "0, 1, 2", "3, 2, 1", "as they were"
"""Which positions the tokens get."""


@dataclass(frozen=True)
class Choice:
    """One way to ask the steps again.

    Attributes:
        sizes: of every label.
        variant: of ``entries``.
        places: which positions.
        starts: by label, where the part of a tensor begins that is kept, when its own numbers are.
        wide: bf16 becomes FP32.
    """

    sizes: Mapping[str, int]
    variant: int = ORIGINAL
    places: str = ORIGINAL_PLACES
    starts: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False


def asked_with(steps: Steps, choice: Choice) -> list[Step]:
    """The steps with these sizes and numbers; calls without tokens are left out, and what would fetch from them."""
    sizes = resolved(steps, choice.sizes)
    seen: Counter[str] = Counter()
    changed, dropped = [], set()
    for index, step in enumerate(steps):
        if f"T@{index}" in sizes and not sizes[f"T@{index}"]:
            dropped.add(index)
        changed.append(_changed(step, index, sizes, choice, seen))
    return without(changed, dropped)


def _changed(step: Step, index: int, sizes: Mapping[str, int], choice: Choice, seen: Counter[str]) -> Step:
    arguments: dict[str, Any] = dict(step.arguments)
    labels = numbers(step)
    arguments |= {key: sizes[label] for key, label in labels.items()}
    if "caches" in arguments:  # one a layer
        caches = arguments["caches"]
        arguments["caches"] = caches[: sizes.get(layers_of(len(caches)), len(caches))]
    cotangent = step.cotangent
    for name, tensor in step.tensors():
        names = axes(step, index, name, tensor)
        shape = [sizes[label] for label in names]
        if name == "positions":
            value = _positions(tensor, names, shape, choice, seen[name])
            seen[name] += shape[-1]
        else:
            value = _numbers(name, tensor, names, shape, choice, seen[name])
            seen[name] += value.numel()
        if name == "cotangent":
            cotangent = value
        else:
            arguments[name] = value
    weights = dict(step.weights)
    if weights:
        shapes = parameter_shapes(step.name, arguments)
        weights = {name: _weight(name, weights[name], shape, choice) for name, shape in shapes.items()}
    return replace(step, arguments=arguments, cotangent=cotangent, weights=weights)


def _numbers(
    name: str, like: Tensor, names: Sequence[str], shape: Sequence[int], choice: Choice, offset: int
) -> Tensor:
    if choice.variant in (ORIGINAL, ROUNDED):
        value = _part(like, names, shape, choice)
        value = value.clone() if choice.variant == ORIGINAL else torch.round(value.double(), decimals=1).to(like.dtype)
    else:
        value = filled(name, shape, like, choice.variant, offset)
    return shaped_as(value.float() if choice.wide and like.is_floating_point() else value, like)


def _weight(name: str, like: Tensor, shape: Sequence[int], choice: Choice) -> Tensor:
    if choice.variant in (ORIGINAL, ROUNDED):
        value = like[tuple(slice(0, size) for size in shape)].clone()
        if choice.variant == ROUNDED:
            value = torch.round(value.double(), decimals=1).to(like.dtype)
    else:
        value = filled(name, shape, like, choice.variant)
    return value.float() if choice.wide else value


def _part(like: Tensor, names: Sequence[str], shape: Sequence[int], choice: Choice) -> Tensor:
    for axis, (label, size) in enumerate(zip(names, shape, strict=True)):
        start = min(choice.starts.get(label, 0), max(like.shape[axis] - size, 0))
        like = like.narrow(axis, start, min(size, like.shape[axis]))
    return like


def _positions(like: Tensor, names: Sequence[str], shape: Sequence[int], choice: Choice, before: int) -> Tensor:
    if choice.places == ORIGINAL_PLACES:
        return _part(like, names, shape, choice).clone()
    count = shape[-1]
    if choice.places == BACKWARDS:
        row = torch.arange(count, 0, -1)
    else:
        row = torch.arange(count) + before + (choice.places == FROM_ONE)
    if like.dim() == 1:
        return row
    return row + 2 * torch.arange(shape[0])[:, None]
