"""How FP32 becomes narrower, other than by rounding to nearest."""

from __future__ import annotations

import torch
from torch import Tensor


def truncated(y: Tensor) -> Tensor:
    """The nearest bf16 value towards zero, still in FP32."""
    bits = y.detach().contiguous().view(torch.int32)
    return (bits & ~0xFFFF).view(torch.float32)
