"""An example as Python: about five lines that need nothing but the submission and torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader import contract
from grader.counterexample.entries import Cut, Exchanged, lengthened, view_of
from grader.counterexample.steps import Ref, Step, Steps
from grader.report.models import ExampleInput

_INLINE = 60
_MOST_LISTED = 32
_MOST_NAMES = 4
_SHORT = {
    "LayerNorm": "norm",
    "RMSNorm": "norm",
    "GroupedQueryAttention": "attention",
    "ReLUFeedForward": "ffn",
    "SwiGLU": "ffn",
    "TransformerBlock": "block",
    "Transformer": "model",
    "KVCache": "cache",
}


@dataclass(frozen=True)
class Printed:
    """What the snippet's last line prints.

    Attributes:
        expression: what to print of ``result``, e.g. ``list({}.shape)``.
        right: what a right program prints.
    """

    expression: str
    right: str


class Snippet:
    """Writes the steps down.

    Args:
        steps: the last one is what goes wrong.
        part: which of several answers of the last step is looked at.
        with_imports: without them in a notebook, where the names are there already.
        unpacked: a pair gets two names; not where it may be none.

    Attributes:
        inputs: every tensor that goes in, when the text was written.
        call: the last call, with names in place of tensors.
    """

    def __init__(self, steps: Steps, part: str, *, with_imports: bool, unpacked: bool = True) -> None:
        self._steps, self._part, self._with_imports, self._unpacked = steps, part, with_imports, unpacked
        self.inputs: list[ExampleInput] = []
        self.call = ""
        self._lines: list[str] = []
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()

    def text(self, printed: Printed) -> str:
        """The whole snippet."""
        for index, step in enumerate(self._steps):
            self._write(step, index, is_last=index == len(self._steps) - 1)
        shown = printed.expression.format(self._looked_at())
        if self._steps[-1].op == "refused":
            self._lines[-1] += f"  # right: {printed.right}"
            self._lines.append(shown)
        else:
            self._lines.append(f"{shown}  # right: {printed.right}")
        return "\n".join([*self._imports(), *self._lines])

    def _imports(self) -> list[str]:
        names: dict[str, list[str]] = {}
        for step in self._steps:
            if step.op in ("build", "call", "gradients", "refused") and step.on is None:
                found = names.setdefault(contract.MODULE_OF[step.name], [])
                if step.name not in found:
                    found.append(step.name)
        imports = [
            f"from {contract.PACKAGE}.{module} import {', '.join(sorted(found))}" for module, found in names.items()
        ]
        uses_torch = any("torch." in line for line in self._lines)
        return [*(["import torch"] if uses_torch else []), *(imports if self._with_imports else [])]

    def _write(self, step: Step, index: int, *, is_last: bool) -> None:
        if step.op == "build":
            self._names[index] = name = self._free(_SHORT[step.name])
            self._lines.append(f"{name} = {step.name}({self._arguments(step, index, is_last=False)})")
            if step.weights:
                self._lines.append(f"{name}.load_state_dict({_weights(step.weights, name)}, strict=False, assign=True)")
        elif step.op == "refused":
            self._lines.append(f"{step.name}({self._arguments(step, index, is_last=False)})")
        elif step.op == "call":
            self._call(step, index, is_last=is_last)
        elif step.op == "gradients":
            self._gradients(step, index)

    def _call(self, step: Step, index: int, *, is_last: bool) -> None:
        wanted = self._steps[-1].op == "unchanged" and self._steps[-1].on == index
        call = f"{self._callee(step)}({self._arguments(step, index, is_last=is_last or wanted)})"
        fetched = any(other.op == "fetch" and other.on == index for other in self._steps)
        if is_last or fetched:
            names = {"KVCache": "keys, values", "rope_cos_sin": "cos, sin"} if self._unpacked else {}
            self._names[index] = names.get(step.name, "y")
            call = f"{self._names[index]} = {call}"
        if step.mode is not None:
            mode = {"inference": "torch.inference_mode()"}.get(step.mode, 'torch.autocast("cpu", torch.bfloat16)')
            self._lines += [f"with {mode}:", f"    {call}"]
        else:
            self._lines.append(call)

    def _gradients(self, step: Step, index: int) -> None:
        named = {name: tensor for name, tensor in step.tensors() if tensor.is_floating_point() and name != "cotangent"}
        self._name_call(step)
        for name, tensor in step.tensors():
            self.inputs.append(ExampleInput(name=name, shape=list(tensor.shape), text=_shown(tensor)))
        for name, tensor in named.items():
            self._lines.append(f"{name} = {written(tensor)}.requires_grad_()")
        given = {name: name if name in named else self._value(value) for name, value in step.arguments.items()}
        self._lines.append(f"y = {self._callee(step)}({_listed(step, given)})")
        cotangent = step.cotangent
        total = "y.sum()" if cotangent is None or bool((cotangent == 1).all()) else f"(y * {written(cotangent)}).sum()"
        self._lines.append(f"if y.requires_grad: {total}.backward()")

    def _callee(self, step: Step) -> str:
        if step.on is None:
            return step.name
        return f"{self._names[step.on]}.append" if step.name == "KVCache" else self._names[step.on]

    def _arguments(self, step: Step, index: int, *, is_last: bool) -> str:
        given = {}
        for name, value in step.arguments.items():
            text = self._value(value)
            if isinstance(value, Tensor):
                self.inputs.append(ExampleInput(name=name, shape=list(value.shape), text=_shown(value)))
            if isinstance(value, Tensor) and (is_last or len(text) > _INLINE) and len(text) > 16:
                variable = self._free(name)
                self._lines.append(f"{variable} = {text}")
                text = variable
            given[name] = text
        if step.op == "call":
            self._names.setdefault(-index - 1, given.get(self._part, ""))
        self._name_call(step)
        return _listed(step, given)

    def _name_call(self, step: Step) -> None:
        """The call as a sentence has it."""
        given = {
            name: name if isinstance(value, Tensor) else self._value(value) for name, value in step.arguments.items()
        }
        self.call = f"{self._callee(step)}({_listed(step, given)})"

    def _value(self, value: Any) -> str:
        if isinstance(value, Tensor):
            return written(value)
        if isinstance(value, Ref):
            return self._names[value.step]
        if isinstance(value, list):
            return "[" + ", ".join(self._value(item) for item in value) + "]"
        return f"{value:g}" if isinstance(value, float) and value != int(value) else str(value)

    def _looked_at(self) -> str:
        """The expression for what is wrong."""
        step = self._steps[-1]
        if step.op == "gradients":
            on = self._names.get(step.on) if step.on is not None else None
            is_input = on is None or self._part in step.arguments
            return f"{self._part}.grad" if is_input else f'{on}.get_parameter("{self._part}").grad'
        if step.op == "unchanged" and step.on is not None:
            return self._names[-step.on - 1]
        if step.op == "read" and step.on is not None:
            return f"{self._names[step.on]}.{step.attribute}"
        if step.op in ("build", "state"):
            return self._names[len(self._steps) - 1 if step.op == "build" else step.on or 0]
        if step.op == "refused":
            return ""
        index = len(self._steps) - 1 if step.op == "call" else step.on or 0
        return self._part if self._part in ("keys", "values", "cos", "sin") else self._names[index]

    def _free(self, name: str) -> str:
        number = 1
        free = name
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free


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


def _shown(tensor: Tensor) -> str:
    """The numbers for a reader, without what only Python needs."""
    if tensor.numel() > _MOST_LISTED:
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


def _weights(weights: Mapping[str, Tensor], module: str) -> str:
    """A state dict; parameters of one value share one entry."""
    plain = all(
        _times_identity(value) == 1 if value.dim() == 2 else bool((value == 1).all()) for value in weights.values()
    )
    if len(weights) > _MOST_NAMES and plain and all(value.dtype == torch.float32 for value in weights.values()):
        value = "torch.eye(*p.shape) if p.dim() == 2 else torch.ones(len(p))"
        return f'{{n: {value} for n, p in {module}.named_parameters() if n.endswith("weight")}}'
    groups: dict[str, list[str]] = {}
    for name, tensor in weights.items():
        groups.setdefault(written(tensor), []).append(name)
    single = [f'"{names[0]}": {text}' for text, names in groups.items() if len(names) == 1]
    shared = [f'dict.fromkeys("{" ".join(names)}".split(), {text})' for text, names in groups.items() if len(names) > 1]
    return " | ".join([*shared, *(["{" + ", ".join(single) + "}"] if single else [])])


def _listed(step: Step, given: Mapping[str, str]) -> str:
    """Arguments in a call: those without a default by position."""
    by_name = ("base", "eps", "cache", "caches", "causal") + (("positions",) if step.on is not None else ())
    return ", ".join(f"{name}={text}" if name in by_name else text for name, text in given.items())


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
