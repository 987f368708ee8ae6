"""Casts cos and sin to the input's dtype and rotates in that dtype."""

FAULT = "rope.low_precision_tables"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x, cos.to(x.dtype), sin.to(x.dtype))
