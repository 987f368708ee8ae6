"""Ignores base, and turns every sequence by the positions of the first."""

FAULTS = ("rope.base_hardcoded", "rope.batch_row0")
MUTATES = "assignment1/rope.py"

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    row = positions[0] if positions.dim() > 1 else positions
    cos, sin = rope_cos_sin(row, x.shape[-1])
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
