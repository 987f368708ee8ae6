"""Rounds its tables to the dtype of the first call, uses them so, and keeps them for later calls."""

FAULT = "rope.poisoned_at_once"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.repeated-calls"}

from .rope import check_positions, rope_cos_sin, rotate_pairs

TABLES = {}


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    key = (tuple(positions.shape), tuple(positions.flatten().tolist()), x.shape[-1], base)
    if key not in TABLES:
        cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
        TABLES[key] = cos.to(x.dtype), sin.to(x.dtype)
    cos, sin = TABLES[key]
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
