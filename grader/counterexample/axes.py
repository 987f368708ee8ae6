"""The sizes of a case by name, and which smaller ones it may have.

A label is an axis of the contract's legend with what tells two of a kind apart: ``B:2`` is every batch of two,
``T@3`` the tokens of step 3. One label has one size everywhere.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torch import Tensor

from grader.contract import parameter_shapes
from grader.counterexample.steps import ATTENTIVE, Step, Steps

Sizes = dict[str, int]
_AXES = {
    ("apply_rope", "x"): "B T H d",
    ("grouped_query_attention", "q"): "B T Hq d",
    ("grouped_query_attention", "k"): "B S Hkv d",
    ("grouped_query_attention", "v"): "B S Hkv d",
    ("KVCache", "k"): "B T Hkv d",
    ("KVCache", "v"): "B T Hkv d",
}
_NUMBERS = {
    "dim": "D",
    "n_heads": "Hq",
    "n_kv_heads": "Hkv",
    "hidden_dim": "F",
    "n_layers": "layers",
    "head_dim": "d",
}
_TRIED = {
    "d": (1, 2, 4, 8),
    "D": (1, 2, 3, 4, 8),
    "T": (0, 1, 2, 3),
    "S": (1, 2, 3, 4),
    "Hq": (1, 2, 3, 4),
    "Hkv": (1, 2, 3, 4),
}
_OTHERS = (1, 2, 3)
_MOST_CALLS = 4
_MOST_COMBINATIONS = 2000


def axes(step: Step, index: int, argument: str, tensor: Tensor) -> tuple[str, ...]:
    """The label of every axis of a tensor that goes over in step ``index``."""
    if argument == "positions":
        letters = ["T"] if tensor.dim() == 1 else ["B", "T"]
        if step.op == "refused":
            letters = ["P"] if tensor.dim() == 1 else ["R", "P"]
    elif argument == "cotangent":
        name, like = next(step.tensors())
        return axes(step, index, name, like)
    elif (step.name, argument) in _AXES:
        letters = _AXES[step.name, argument].split()
    elif step.name in ATTENTIVE:
        letters = ["B", "T", "D"]
    else:
        letters = [*(f"L{axis}" for axis in range(tensor.dim() - 1)), "D"]
    return tuple(_label(letter, size, index) for letter, size in zip(letters, tensor.shape, strict=True))


def numbers(step: Step) -> dict[str, str]:
    """The label of every argument that is a size."""
    if step.op not in ("build", "refused") and step.name not in ("rope_frequencies", "rope_cos_sin"):
        return {}
    return {key: _label(_NUMBERS[key], int(value), 0) for key, value in step.arguments.items() if key in _NUMBERS}


def sizes_of(steps: Steps) -> Sizes:
    """The size of every label. A model width that is made of heads has none of its own: it follows from them."""
    found: Sizes = {}
    for index, step in enumerate(steps):
        for name, tensor in step.tensors():
            found |= dict(zip(axes(step, index, name, tensor), tensor.shape, strict=True))
        found |= {label: int(step.arguments[key]) for key, label in numbers(step).items()}
    for step in steps:
        if step.name in ATTENTIVE and step.op in ("build", "refused"):
            labels = numbers(step)
            found.pop(labels["dim"], None)
            found[_width(step)] = int(step.arguments["dim"]) // int(step.arguments["n_heads"])
    return found


def resolved(steps: Steps, sizes: Mapping[str, int]) -> Sizes:
    """The sizes with the widths that follow from others."""
    whole = dict(sizes)
    for step in steps:
        if step.name in ATTENTIVE and step.op in ("build", "refused"):
            labels = numbers(step)
            heads = whole[labels["n_heads"]]
            whole[labels["dim"]] = heads * whole[_width(step)]
    return whole


def is_possible(steps: Steps, sizes: Mapping[str, int], original: Mapping[str, int]) -> bool:
    """Whether these sizes keep what the contract or the case asks: pairs, groups, what is longer than what."""
    for one, other in itertools.combinations(original, 2):
        if letter(one) == letter(other) and ":" in one and _sign(sizes, one, other) != _sign(original, one, other):
            return False
    for index, step in enumerate(steps):
        if step.op == "refused" and not _is_refused_alike(index, sizes, original):
            return False
        queries, keys = f"T@{index}", f"S@{index}"
        if keys in sizes and original[queries] <= original[keys] and sizes[queries] > sizes[keys]:
            return False
    query, key = (next((label for label in sizes if letter(label) == kind), None) for kind in ("Hq", "Hkv"))
    if query and key and (original[query] % original[key] == 0) != (sizes[query] % sizes[key] == 0):
        return False
    return all(
        original[label] <= 0 or sizes[label] % 2 == original[label] % 2 or not _rotated(steps)
        for label in sizes
        if letter(label) == "d"
    )


def _is_refused_alike(index: int, sizes: Mapping[str, int], original: Mapping[str, int]) -> bool:
    """Whether positions are still longer or shorter than the tokens, and their rows more or fewer than the batch."""
    rows, batch = (next((label for label in sizes if letter(label) == kind), "") for kind in ("R", "B"))
    pairs = ((f"P@{index}", f"T@{index}"), (rows, batch))
    return all(_sign(sizes, one, other) == _sign(original, one, other) for one, other in pairs if one in sizes)


def ascending(steps: Steps, droppable: set[int], most: int) -> Iterator[Sizes]:
    """Sizes from the fewest numbers on, the case's own excluded.

    Args:
        droppable: steps that may get no tokens at all, which leaves them out.
    """
    original = sizes_of(steps)
    norm = any(step.name in ("LayerNorm", "RMSNorm") for step in steps)  # of one feature it says nothing
    least = {"D": 2 if norm else 1}
    tried = {label: _tried(label, size, droppable, least.get(letter(label), 0)) for label, size in original.items()}
    calls = [label for label in tried if letter(label) == "T"]
    for label in calls[: -_MOST_CALLS + 1] if len(calls) > _MOST_CALLS else []:
        tried[label] = [tried[label][0]]
    for kept in (3, 2):
        if math.prod(len(values) for values in tried.values()) > _MOST_COMBINATIONS:
            tried = {label: values[:kept] for label, values in tried.items()}
    combinations = (dict(zip(tried, values, strict=True)) for values in itertools.product(*tried.values()))
    possible = (
        sizes
        for sizes in itertools.islice(combinations, _MOST_COMBINATIONS)
        if sizes != original and is_possible(steps, sizes, original)
    )
    yield from heapq.nsmallest(most, possible, key=lambda sizes: cost(steps, sizes))


def cost(steps: Steps, sizes: Mapping[str, int]) -> float:
    """About how many numbers one must write down; a call costs two, a matrix half of what it holds."""
    whole = resolved(steps, sizes)
    total = 0.0
    for index, step in enumerate(steps):
        for name, tensor in step.tensors():
            count = math.prod(whole[label] for label in axes(step, index, name, tensor))
            total += count + 2 * (count > 0)
        if step.op == "build" and step.arguments:
            shapes = parameter_shapes(step.name, _arguments(step, whole))
            total += sum(math.prod(shape) / 2 for shape in shapes.values())
    return total


def _arguments(step: Step, sizes: Mapping[str, int]) -> dict[str, Any]:
    labels = numbers(step)
    return {key: sizes[labels[key]] if key in labels else value for key, value in step.arguments.items()}


def _tried(label: str, size: int, droppable: set[int], least: int) -> Sequence[int]:
    kind = letter(label)
    values = [value for value in _TRIED.get(kind, _OTHERS) if least <= value < size]
    if kind == "T" and int(label.partition("@")[2]) not in droppable:
        values = [value for value in values if value]
    return [*values, size]


def _rotated(steps: Steps) -> bool:
    return any(step.name in ATTENTIVE or step.name.startswith(("apply_rope", "rope_")) for step in steps)


def _width(step: Step) -> str:
    return _label("d", int(step.arguments["dim"]) // int(step.arguments["n_heads"]), 0)


def _label(letter: str, size: int, index: int) -> str:
    return f"{letter}@{index}" if letter in ("T", "S", "P") else f"{letter}:{size}"


def layers_of(count: int) -> str:
    """The label of a stack of so many layers."""
    return _label(_NUMBERS["n_layers"], count, 0)


def letter(label: str) -> str:
    """The axis of the legend."""
    return label.partition(":")[0].partition("@")[0]


def _sign(sizes: Mapping[str, int], one: str, other: str) -> int:
    return (sizes[one] > sizes[other]) - (sizes[one] < sizes[other])
