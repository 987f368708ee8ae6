"""The student's objects: found by name, kept by handle, turned into values and back."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from torch import Tensor

from grader.wire import tensors
from grader.wire.codec import Handle, RawTensor, Value
from grader.wire.frames import MAX_BODY
from grader.worker.failures import StudentFault

MAX_NAMES = 200
MOST_FITTING = 200


class Objects:
    """Student objects that the verifier refers to by handle, until the next check begins."""

    def __init__(self) -> None:
        self._kept: dict[int, Any] = {}
        self._next = 1

    def keep(self, value: Any, number: int | None = None) -> Handle:
        """Store an object under a number, by default one that none had yet, and return its handle."""
        handle = Handle(self._next if number is None else number)
        self._kept[handle.number] = value
        self._next = max(self._next, handle.number) + 1
        return handle

    def forget_all(self) -> None:
        """Drop every kept object. Numbers are not used again."""
        self._kept.clear()

    def get(self, handle: Handle) -> Any:
        """The object behind a handle."""
        return self._kept[handle.number]

    def from_wire(self, value: Value, device: str | None = None) -> Any:
        """A value as the student's code receives it: tensors for raw tensors, objects for handles.

        Args:
            device: where tensors are to live; None: on the CPU.
        """
        if isinstance(value, RawTensor):
            return tensors.from_raw(value, device)
        if isinstance(value, Handle):
            return self.get(value)
        if isinstance(value, list):
            return [self.from_wire(item, device) for item in value]
        return value


def to_wire(value: Any) -> Value:
    """A result as plain values; what the wire cannot carry becomes ``{"opaque": type name}``."""
    if isinstance(value, Tensor):
        if value.numel() * value.element_size() > MAX_BODY:  # before it is copied; an expanded view takes no memory
            size = f"{list(value.shape)} in {value.dtype}"
            raise StudentFault("too-much", message=f"a tensor of {size}, at most {MAX_BODY >> 20} MiB allowed")
        plain = value.detach()
        if type(plain) is not Tensor:
            plain = plain.as_subclass(Tensor)
        try:
            return tensors.to_raw(plain)
        except TypeError as error:
            raise StudentFault("unsendable", message=str(error)) from None
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # a subclass could encode itself as it likes
    if isinstance(value, int):
        return int(value) if abs(value) < 1 << 63 else {"opaque": "int beyond 64 bits"}
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (tuple, list)):
        return [to_wire(item) for item in value]
    return {"opaque": type(value).__name__}


def find(target: str) -> Any:
    """The student's object at ``module:name``. Raises StudentFault, or whatever importing raises."""
    module_name, _, name = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name:  # something that the student's module imports is missing
            raise
        raise StudentFault("missing-module", module=module_name) from None
    if name and not hasattr(module, name):
        names: list[Value] = [*(other for other in vars(module) if not other.startswith("_"))]
        raise StudentFault("missing-name", module=module_name, name=name, names=names[:MAX_NAMES])
    return getattr(module, name) if name else module


def check_arguments(function: Callable[..., Any], arguments: list[Any], named: dict[str, Any]) -> None:
    """Raise StudentFault when ``function`` cannot take these arguments, before its body runs."""
    form = _same_signature(function), len(arguments), tuple(named)
    if form in _FITTING:
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # builtins have none
        return
    try:
        signature.bind(*arguments, **named)
    except TypeError as error:
        given: list[Value] = [*(f"#{index}" for index in range(len(arguments))), *named]
        raise StudentFault("arguments", message=str(error), signature=str(signature)[:500], given=given) from None
    if form[0]:
        if len(_FITTING) == MOST_FITTING:
            _FITTING.clear()
        _FITTING.add(form)


_FITTING: set[tuple[tuple[Any, ...], int, tuple[str, ...]]] = set()
"""What can be called with so many arguments and these names: whether it fits does not depend on their values."""


def _same_signature(function: Any) -> tuple[Any, ...]:
    """What the signature of a plain function, method or class follows from; empty for anything else."""
    if type(function) is MethodType:
        function = function.__func__
    if type(function) is FunctionType:
        return (function,)
    is_plain_class = type(function) is type
    if is_plain_class and type(function.__init__) is FunctionType and function.__new__ is object.__new__:
        return function, function.__init__
    return ()
