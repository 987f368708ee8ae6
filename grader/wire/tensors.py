"""Tensors to and from their raw form. Needs torch; the codec does not."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.wire.codec import ITEM_BYTES, ProtocolError, RawTensor

_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in ITEM_BYTES}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def to_raw(tensor: Tensor, *, keep_strides: bool = False) -> RawTensor:
    """Copy a tensor's values out.

    Args:
        keep_strides: send the whole storage of a non-contiguous view, so that the peer rebuilds the same view.

    Raises:
        TypeError: a dtype or layout that the wire does not carry.
    """
    name = _NAMES.get(tensor.dtype) or str(tensor.dtype).removeprefix("torch.")
    if name not in ITEM_BYTES or tensor.layout is not torch.strided or tensor.device.type == "meta":
        raise TypeError(f"a {tensor.layout} tensor of dtype {name} on {tensor.device} cannot be sent")
    plain = tensor.detach().resolve_neg()
    if keep_strides and not plain.is_contiguous():
        stored = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
        return RawTensor(name, tuple(plain.shape), _bytes(stored), tuple(plain.stride()), int(plain.storage_offset()))
    return RawTensor(name, tuple(plain.shape), _bytes(plain.cpu()))


def from_raw(raw: RawTensor, device: str | None = None) -> Tensor:
    """Rebuild a tensor; it owns its memory. Raises ProtocolError when the sizes disagree.

    Args:
        device: where it is to live; None: on the CPU. A view is the same view there.
    """
    dtype = _DTYPES[raw.dtype]
    flat = torch.frombuffer(bytearray(raw.data), dtype=dtype) if raw.data else torch.empty(0, dtype=dtype)
    if device is not None:
        flat = flat.to(device)
    try:
        if raw.strides is not None:
            return flat.as_strided(raw.shape, raw.strides, raw.offset)
        return flat.reshape(raw.shape)
    except RuntimeError as error:  # e.g. a shape whose product overflows
        raise ProtocolError(f"impossible tensor: {error}") from None


def _bytes(tensor: Tensor) -> bytes:
    """The elements in row-major order, however they are stored."""
    if tensor.dtype == torch.bfloat16:  # NumPy has none
        tensor = tensor.view(torch.int16)
    data: bytes = tensor.numpy().tobytes()
    return data
