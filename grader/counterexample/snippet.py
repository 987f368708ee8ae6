"""An example as Python: about five lines that need nothing but the submission and torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from grader import contract
from grader.counterexample.literals import shown, state_dict, written
from grader.counterexample.steps import Ref, Step, Steps
from grader.report.example import ExampleInput

_INLINE = 60
_MOST_NAMED = 4
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
        expression: what to print of ``result``, e.g. ``list({0}.shape)``.
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
                self.inputs += _grouped(step)
                self._lines.append(
                    f"{name}.load_state_dict({state_dict(step.weights, name)}, strict=False, assign=True)"
                )
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
            self.inputs.append(_input(name, tensor))
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
                self.inputs.append(_input(name, value))
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


def _listed(step: Step, given: Mapping[str, str]) -> str:
    """Arguments in a call: those without a default by position."""
    by_name = ("base", "eps", "cache", "caches", "causal") + (("positions",) if step.on is not None else ())
    return ", ".join(f"{name}={text}" if name in by_name else text for name, text in given.items())


def _input(name: str, tensor: Tensor) -> ExampleInput:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return ExampleInput(name=name, shape=list(tensor.shape), dtype=dtype, text=shown(tensor))


def _grouped(step: Step) -> list[ExampleInput]:
    """The weights of a module; those of one value in one line."""
    groups: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for name, weight in step.weights.items():
        groups.setdefault((shown(weight), tuple(weight.shape)), []).append(name)
    found = []
    for names in groups.values():
        listed = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
        found.append(_input(listed, step.weights[names[0]]))
    return found
