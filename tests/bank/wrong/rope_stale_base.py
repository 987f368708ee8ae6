"""Keeps its tables by positions and head width, so a second base gets the first one's tables."""

FAULT = "rope.stale_base"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.repeated-calls"}

from .rope import check_positions, rope_cos_sin, rotate_pairs

TABLES = {}


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    key = (tuple(positions.shape), tuple(positions.flatten().tolist()), x.shape[-1])
    if key not in TABLES:
        TABLES[key] = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    cos, sin = TABLES[key]
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
