"""Broadcasts the rows of [B, T] positions over the heads instead of the batch."""

FAULT = "rope.batch_as_heads"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-batched"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    if positions.ndim == 2:
        cos, sin = cos.transpose(0, 2), sin.transpose(0, 2)  # [1, T, B, d/2]
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
