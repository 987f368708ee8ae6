"""What a check asked of the submission, as steps that can be asked again with other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from torch import Tensor

from grader.contract import ModuleSpec

Op = Literal["build", "call", "gradients", "read", "fetch", "unchanged", "state", "refused"]
ATTENTIVE = ("GroupedQueryAttention", "TransformerBlock", "Transformer")
"""Modules that take ``[B, T, D]``, positions and a cache."""


@dataclass(frozen=True)
class Ref:
    """An object that an earlier step built.

    Attributes:
        step: index of that step.
    """

    step: int


@dataclass(frozen=True)
class Step:
    """One request.

    Attributes:
        op: ``call`` a function, a module or a cache's append; ``read`` an attribute of a cache; ``fetch`` a result
            that was kept; ``unchanged`` asks for the arguments of the call before; ``refused`` must raise.
        name: of the function or class, in the contract's words.
        on: the step that built the object it is about; for ``fetch`` the call whose result was kept.
        arguments: tensors, numbers, Refs to caches and lists of them, by name.
        weights: of a module that is built.
        cotangent: of ``gradients``.
        attribute: of ``read``.
        mode: the caller's context, as ``Student.apply_rope`` has it.
        keep: the result is fetched later.
    """

    op: Op
    name: str
    on: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Tensor] = field(default_factory=dict)
    cotangent: Tensor | None = None
    attribute: str = ""
    mode: str | None = None
    keep: bool = False

    @property
    def spec(self) -> ModuleSpec:
        """The module that a ``build`` step builds."""
        return ModuleSpec(self.name, self.arguments, self.weights)

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Every tensor that goes over, by name."""
        for name, value in self.arguments.items():
            if isinstance(value, Tensor):
                yield name, value
        if self.cotangent is not None:
            yield "cotangent", self.cotangent


Steps = Sequence[Step]


def without(steps: Steps, dropped: set[int]) -> list[Step]:
    """The steps but for some, with references to the others' new places."""
    places = {old: new for new, old in enumerate(index for index in range(len(steps)) if index not in dropped)}
    return [moved(step, places) for index, step in enumerate(steps) if index not in dropped]


def dense(steps: Steps) -> list[Step]:
    """The steps with no view among their tensors."""
    return [
        replace(
            step,
            arguments={
                name: value.contiguous().clone() if isinstance(value, Tensor) else value
                for name, value in step.arguments.items()
            },
        )
        for step in steps
    ]


def needed(steps: Steps) -> list[Step]:
    """The steps without objects that no later step uses."""
    used = {step.on for step in steps}
    for step in steps:
        for value in step.arguments.values():
            used |= {one.step for one in (value if isinstance(value, list) else [value]) if isinstance(one, Ref)}
    last = len(steps) - 1
    idle = {index for index, step in enumerate(steps) if step.op == "build" and index not in used and index != last}
    return without(steps, idle)


def moved(step: Step, places: Mapping[int, int]) -> Step:
    """The step with its references to other steps renamed."""

    def rename(value: Any) -> Any:
        if isinstance(value, Ref):
            return Ref(places[value.step])
        return [rename(item) for item in value] if isinstance(value, list) else value

    arguments = {name: rename(value) for name, value in step.arguments.items()}
    return replace(step, on=None if step.on is None else places[step.on], arguments=arguments)


def twice(first: Steps, second: Steps) -> list[Step]:
    """One after the other, the second with objects of its own."""
    places = {index: index + len(first) for index in range(len(second))}
    return [*first, *(moved(step, places) for step in second)]
