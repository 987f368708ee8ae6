"""Does not compare positions with x, so one position is silently used for every token."""

FAULT = "rope.positions_unchecked"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.errors"}

from .rope import rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
