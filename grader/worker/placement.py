"""Where tensors live, and what crosses between a device and the CPU during one call."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from grader.wire.codec import Value

CPU = torch.device("cpu")

_COPY = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
_READ = (torch.ops.aten._local_scalar_dense.default,)
_default_device = torch.get_default_device  # taken before any student code can replace it
_set_default_device = torch.set_default_device
_modes = torch._C._len_torch_function_stack


def settle(device: str) -> None:
    """Wait until everything that was asked of a device is done. What went wrong there is raised here."""
    _driver(device).synchronize()


def seed(device: str, number: int) -> None:
    """Begin the device's stream of chance anew."""
    _driver(device).manual_seed_all(number)


def devices_of(result: Any) -> list[Value]:
    """The devices of the tensors in a result, in order."""
    if isinstance(result, Tensor):
        return [str(result.device)]
    if isinstance(result, (tuple, list)):
        return [device for item in result for device in devices_of(item)]
    return []


def changed_default() -> str | None:
    """The device on which factories now put their tensors, when it is no longer the CPU."""
    if not _modes():  # a default device is a mode; asking for it costs a hundred times as much
        return None
    try:
        device = _default_device()
    except RuntimeError as error:  # a default that cannot even be used
        return str(error).splitlines()[0][:100]
    return None if device == CPU else str(device)


def restore_default() -> None:
    """The CPU again. Costs nothing where nothing was changed."""
    if changed_default() is not None:
        _set_default_device(None)


def _driver(device: str) -> Any:
    """Torch's module for this kind of device, e.g. ``torch.cuda``."""
    return getattr(torch, torch.device(device).type)


class Crossings(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's modes have no types
    """Counts what a call fetches from a device.

    Attributes:
        copies: tensors of several elements that went to the CPU.
        scalars: single elements that were read.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.copies = self.scalars = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first call would import a compiler, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation, and count it."""
        result = func(*args, **(kwargs or {}))
        source = args[1] if func is _COPY[1] else args[0] if args else None
        if isinstance(source, Tensor) and source.device.type != "cpu":
            if func in _READ:
                self.scalars += 1
            elif func in _COPY and isinstance(result, Tensor) and result.device.type == "cpu":
                self.copies += source.numel() > 1
                self.scalars += source.numel() == 1
        return result
