"""Which real numbers round to a given output: the preimage of the final cast.

A program that computes in FP32 and rounds once to bf16 returns RN(y + e) with |e| <= E, where y is the truth and E
bounds FP32's own error. The cast is a known function, so its half unit in the last place is no uncertainty: the output
o is admissible exactly when some real within E of y rounds to o. With [lo, hi] the reals that round to o,

    excess(o, y) = max(0, lo - y, y - hi)        admissible  <=>  excess <= E.

A tolerance of "half an ulp plus E" would accept outputs that no such program can give: for bf16 it is hundreds of times
wider than E, which is where programs that compute in bf16 hide.
"""

from __future__ import annotations

import torch
from torch import Tensor

FP32_UNIT = 2.0**-24
BF16_UNIT = 2.0**-8
_INTEGER = {torch.float32: torch.int32, torch.bfloat16: torch.int16, torch.float16: torch.int16}


def neighbours(x: Tensor) -> tuple[Tensor, Tensor]:
    """The next smaller and the next larger number of x's dtype, as FP64.

    Args:
        x: finite, FP32, bf16 or FP16, any shape.

    Returns:
        Two FP64 tensors of x's shape; past the largest finite number they step on by the same distance.
    """
    integer = _INTEGER[x.dtype]
    bits = x.contiguous().view(integer).long()
    sign_bit = 1 << (8 * x.element_size() - 1)
    key = torch.where(bits >= 0, bits, -(bits + sign_bit))  # an order-preserving integer; both zeros are 0
    here = x.double()
    down, up = (_from_key(key + step, integer, sign_bit, x.dtype) for step in (-1, 1))
    down = torch.where(torch.isfinite(down), down, 2 * here - up)
    up = torch.where(torch.isfinite(up), up, 2 * here - down)
    return down, up


def excess(output: Tensor, truth: Tensor) -> Tensor:
    """How far ``truth`` lies outside of the reals that round to ``output``.

    Args:
        output: finite, of the dtype that the submission returned.
        truth: FP64, same shape.

    Returns:
        FP64, zero where ``truth`` itself rounds to ``output``.
    """
    if output.dtype == torch.float64:
        return (output - truth).abs()
    down, up = neighbours(output)
    here = output.double()
    low, high = (here + down) / 2, (here + up) / 2
    return torch.clamp_min(torch.maximum(low - truth, truth - high), 0.0)


def nearest(truth: Tensor, dtype: torch.dtype) -> Tensor:
    """Round FP64 to ``dtype`` once. ``tensor.to(bfloat16)`` goes through FP32 and rounds twice.

    Args:
        truth: FP64, any shape.

    Returns:
        The same shape in ``dtype``: the candidate whose preimage holds the truth; infinity where the dtype ends.
    """
    rounded = truth.to(dtype)
    if dtype not in _INTEGER:
        return rounded
    limit = torch.finfo(dtype).max
    finite = rounded.clamp(-limit, limit)
    down, up = neighbours(finite)
    # one step past the largest number stands for infinity: beyond it and at the tie before it, FP64 rounds to infinity
    plain = torch.where(rounded > limit, up, torch.where(rounded < -limit, down, rounded.double()))
    candidates = torch.stack([plain, finite.double(), down, up])
    distance = (candidates - truth).abs()
    best = distance.argmin(dim=0, keepdim=True)  # the first of equals: the plain cast, which ties to even
    return candidates.gather(0, best).squeeze(0).to(dtype)


def _from_key(key: Tensor, integer: torch.dtype, sign_bit: int, dtype: torch.dtype) -> Tensor:
    bits = torch.where(key >= 0, key, -key - sign_bit)
    return bits.to(integer).view(dtype).double()
