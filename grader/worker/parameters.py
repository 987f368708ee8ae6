"""A module's parameters, read from where torch keeps them: a class cannot hide or invent one by overriding a method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from grader.wire.codec import Value
from grader.worker.failures import StudentFault
from grader.worker.objects import to_wire

_REQUIRES_GRAD = vars(torch._C.TensorBase)["requires_grad"].__get__
"""Torch's own getter; a subclass may have a property of that name."""


def named_parameters(module: nn.Module) -> dict[str, Tensor]:
    """Parameters by name, each once, as ``nn.Module.named_parameters`` gives them."""
    return dict(_kept(module, "_parameters", "", set()))


def load_parameters(module: nn.Module, values: dict[str, Tensor]) -> None:
    """Put ``values`` in place of the parameters, dtype included. Raises StudentFault on other names or shapes.

    A bias that is not among them becomes zero: it is one mistake, which the check of the parameters' names finds, and
    its random start would spoil every other check, differently in each run.
    """
    own = named_parameters(module)
    shapes: dict[str, Value] = {name: list(parameter.shape) for name, parameter in own.items()}
    for name, value in values.items():
        if name not in own or own[name].shape != value.shape:
            wanted: list[Value] = list(value.shape)
            raise StudentFault("parameters", module=type(module).__name__, name=name, shape=wanted, found=shapes)
    with torch.no_grad():
        for name, value in values.items():
            own[name].data = value.to(own[name].device)
        for name in own.keys() - values.keys():
            if name.rpartition(".")[2] == "bias":
                own[name].data = torch.zeros_like(own[name])


def state(module: nn.Module) -> dict[str, Value]:
    """Parameters by name (values), and the names, shapes and dtypes of buffers."""
    own = named_parameters(module)
    parameters: dict[str, Value] = {name: to_wire(value) for name, value in own.items()}
    trained: list[Value] = [name for name, value in own.items() if _is_trained(value)]
    buffers: dict[str, Value] = {
        name: {"shape": list(value.shape), "dtype": str(value.dtype)}
        for name, value in _kept(module, "_buffers", "", set())
    }
    return {"parameters": parameters, "trained": trained, "buffers": buffers}


def _kept(module: nn.Module, kind: str, prefix: str, seen: set[int]) -> Iterator[tuple[str, Tensor]]:
    """What a module and the modules in it keep under ``_parameters`` or ``_buffers``, by its dotted name."""
    if id(module) in seen:
        return
    seen.add(id(module))
    for name, value in _field(module, kind).items():
        if isinstance(value, Tensor) and id(value) not in seen:
            seen.add(id(value))
            yield prefix + name, value
    for name, child in _field(module, "_modules").items():
        if isinstance(child, nn.Module):
            yield from _kept(child, kind, f"{prefix}{name}.", seen)


def _field(module: nn.Module, name: str) -> dict[str, Any]:
    value = object.__getattribute__(module, "__dict__").get(name)
    return dict(dict.items(value)) if isinstance(value, dict) else {}


def _is_trained(value: Tensor) -> bool:
    with torch._C.DisableTorchFunctionSubclass():
        return bool(_REQUIRES_GRAD(value))
