"""An answer reduced to what two programs are told apart by: its form, and its floating-point elements."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.wire import tensors
from grader.wire.codec import Handle, RawTensor, Value


@dataclass(frozen=True)
class Reduced:
    """One answer.

    Attributes:
        form: a digest of everything but the elements: kinds, shapes, dtypes, whole numbers, what was changed, and of an
            exception its type.
        leaves: the elements of each floating-point tensor, FP64 ``[M]``.
        dtypes: of the tensors.
        failed: whether it is an exception.
    """

    form: int
    leaves: list[Tensor]
    dtypes: list[torch.dtype]
    failed: bool = False

    @property
    def elements(self) -> Tensor:
        """Of all tensors, one after the other."""
        return torch.cat(self.leaves) if self.leaves else torch.empty(0, dtype=torch.float64)


def reduced(answer: Mapping[str, Value], op: object) -> Reduced:
    """Reduce the answer to a request of kind ``op``. Raises ProtocolError for a tensor that cannot be read."""
    error = answer.get("error")
    if "error" in answer:
        kind = (error.get("kind"), error.get("type")) if isinstance(error, dict) else (None, None)
        return Reduced(_digest(f"error {kind}"), [], [], failed=True)
    facts = answer.get("facts")
    leaves: list[Tensor] = []
    value = answer.get("value")
    form = _state(value) if op == "state" else _form(value, leaves)
    mutated = facts.get("mutated") if isinstance(facts, dict) else None
    flat = [leaf.double().flatten() for leaf in leaves]
    return Reduced(_digest(f"{form} mutated {mutated}"), flat, [leaf.dtype for leaf in leaves])


def _form(value: Value, leaves: list[Tensor]) -> str:
    if isinstance(value, RawTensor):
        tensor = tensors.from_raw(value)
        if tensor.numel() and tensor.is_floating_point():
            leaves.append(tensor)
            return f"{tensor.dtype}{list(tensor.shape)}"
        return f"{tensor.dtype}{list(tensor.shape)}{tensor.tolist()}"
    if isinstance(value, Handle):
        return "handle"
    if isinstance(value, list):
        return f"list[{', '.join(_form(item, leaves) for item in value)}]"
    if isinstance(value, dict):
        return f"map[{', '.join(f'{key}: {_form(value[key], leaves)}' for key in sorted(value))}]"
    return f"{type(value).__name__} {value!r}"


def _state(value: Value) -> str:
    """Names, shapes and dtypes of parameters; values of a fresh module are random."""
    parameters = value.get("parameters") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(parameters, dict):
        return "no state"
    shapes = sorted((name, raw.shape, raw.dtype) for name, raw in parameters.items() if isinstance(raw, RawTensor))
    return f"state {[(name, list(shape), dtype) for name, shape, dtype in shapes]} {value.get('trained')}"


def _digest(form: str) -> int:
    return int.from_bytes(hashlib.sha256(form.encode()).digest()[:8], "little", signed=True)
