"""Sections 4.4 and 4.5: rotary positions, on adjacent pairs (0, 1), (2, 3), ... of a head.

The pair r of a token at position p is a column vector (a, b) and turns by the angle p * theta_r, in radians:

    (a, b) -> (a cos - b sin, a sin + b cos)

Turning q by m and k by n turns their dot product by n - m: (R_m q)^T (R_n k) = q^T R_(n-m) k.
Queries and keys are turned; values never are.

There is no table of cosines here. A table kept as a buffer would be rounded by `module.to(torch.bfloat16)`, and the
positions would be off by whole turns; d/2 frequencies cost nothing to compute again.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class CosSin(NamedTuple):
    """Cosine and sine of every angle, with an axis of size 1 where the heads will be."""

    cos: Tensor
    sin: Tensor


def rope_frequencies(
    head_dim: int,
    base: float = 10000.0,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | None = None,
) -> Tensor:
    """Give the angle, in radians, by which each pair turns from one position to the next (4.4).

    Args:
        head_dim: d, positive and even.
        base: The slowest pair turns about 1 / base a position.
        dtype: Dtype of the computation and of the result.
        device: Where the result lives.

    Returns:
        [d/2], theta_r = base ** (-2 r / d): 1 for the first pair, then smaller and smaller.

    Raises:
        ValueError: When head_dim is odd or not positive.
    """
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be positive and even, because features turn in pairs; got {head_dim}")
    two_r = torch.arange(0, head_dim, 2, dtype=dtype, device=device)  # [d/2]: 0, 2, 4, ...
    return torch.pow(base, -two_r / head_dim)


def rope_cos_sin(
    positions: Tensor, head_dim: int, base: float = 10000.0, *, dtype: torch.dtype = torch.float32
) -> CosSin:
    """Give cosine and sine of every position's angles, shaped for [B, T, H, d] (4.5).

    Args:
        positions: Integers, [T] for positions that all sequences share or [B, T] for each its own. They are used as
            they are: any start, any order, with repeats (left padding, packed sequences, decoding).
        head_dim: d, positive and even.
        base: See `rope_frequencies`.
        dtype: Dtype of angles and result; FP32 holds every position up to 2 ** 24 exactly, bf16 only up to 256.

    Returns:
        cos and sin, each [1, T, 1, d/2] for [T], or [B, T, 1, d/2] for [B, T].

    Raises:
        ValueError: When positions are not integers, or neither [T] nor [B, T]; when head_dim is odd or not positive.
    """
    if positions.is_floating_point() or positions.is_complex() or positions.dtype == torch.bool:
        raise ValueError(f"positions must be integers, got dtype {positions.dtype}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must be [T] or [B, T], got shape {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base, dtype=dtype, device=positions.device)  # [d/2]
    per_sequence = positions if positions.dim() == 2 else positions[None, :]  # [B or 1, T]
    angle = per_sequence.to(dtype)[:, :, None, None] * theta  # [B or 1, T, 1, d/2]
    return CosSin(torch.cos(angle), torch.sin(angle))


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn every adjacent pair of x; plain arithmetic, in the dtypes that come in (4.4).

    Args:
        x: [B, T, H, d].
        cos: [B or 1, T, 1, d/2].
        sin: [B or 1, T, 1, d/2].

    Returns:
        [B, T, H, d], in the wider dtype of x and cos.
    """
    a, b = x[..., 0::2], x[..., 1::2]  # each [B, T, H, d/2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # [B, T, H, d/2, 2]
    # The last two axes read (a0, b0), (a1, b1), ...: flattening them puts each pair back where it was.
    return turned.flatten(start_dim=-2)  # [B, T, H, d]


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn queries or keys to their positions (4.4, 4.5).

    Args:
        x: [B, T, H, d], any floating dtype.
        positions: Integers, [T] or [B, T], on any device; see `rope_cos_sin`.
        base: See `rope_frequencies`.

    Returns:
        [B, T, H, d] in x's dtype; cos, sin and products are FP32, or FP64 for an FP64 x.

    Raises:
        ValueError: When x is not [B, T, H, d]; when positions are not integers, or neither [T] nor [B, T] of this x;
            when d is odd.
    """
    if x.dim() != 4:
        raise ValueError(f"x must be [B, T, H, d], got shape {list(x.shape)}")
    batch, tokens, _, head_dim = x.shape
    if list(positions.shape) not in ([tokens], [batch, tokens]):
        raise ValueError(
            f"positions must be [T] = [{tokens}] or [B, T] = [{batch}, {tokens}] for x [B, T, H, d] = {list(x.shape)}, "
            f"got shape {list(positions.shape)}"
        )
    compute = torch.promote_types(x.dtype, torch.float32)
    cos, sin = rope_cos_sin(positions.to(x.device), head_dim, base, dtype=compute)
    return rotate(x.to(compute), cos, sin).to(x.dtype)
