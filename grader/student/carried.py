"""Arguments as they go to the worker and come back: with their strides, and judged by their bytes."""

from __future__ import annotations

from typing import Any, cast

from torch import Tensor

from grader.wire import tensors
from grader.wire.codec import RawTensor, Value


def tensors_of(arguments: Value) -> dict[str, Value]:
    """The tensors among the arguments of a request, by name."""
    fields = arguments if isinstance(arguments, dict) else {}
    return {name: value for name, value in fields.items() if isinstance(value, RawTensor)}


def same_bytes(now: Value, sent: Value) -> bool:
    """Whether a dense tensor from the worker has the dtype, shape and bits of one that went there, maybe as a view."""
    if not isinstance(now, RawTensor) or not isinstance(sent, RawTensor):
        return False
    dense = tensors.to_raw(tensors.from_raw(sent))
    return (now.dtype, now.shape, bytes(now.data)) == (dense.dtype, dense.shape, dense.data)


def to_wire(value: Any) -> Value:
    """A tensor as it lies in memory, a view with all of its storage; anything else as it is."""
    return tensors.to_raw(value, keep_strides=True) if isinstance(value, Tensor) else cast("Value", value)
