"""Counts positions from 1, so position 0 is rotated too."""

FAULT = "rope.position_from_one"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.position-zero", "rope.adjacent-pairs"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device) + 1, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
