"""The bits of a tensor, by which two are told apart."""

from __future__ import annotations

import torch
from torch import Tensor


def bits(tensor: Tensor) -> bytes:
    """The elements in row-major order, however they are stored: any shape, any dtype that has a NumPy one, and bf16."""
    plain = tensor.detach()
    found: bytes = (plain.view(torch.int16) if plain.dtype == torch.bfloat16 else plain).numpy().tobytes()
    return found
