"""Rounds cos and sin to x's dtype, and counts positions from 1."""

FAULTS = ("rope.low_precision_tables", "rope.position_from_one")
MUTATES = "assignment1/rope.py"

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions + 1, x.shape[-1], base)
    return rotate_pairs(x, cos.type_as(x), sin.type_as(x))
