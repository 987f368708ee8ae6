"""Keeps its tables in the dtype of the first call, so a bf16 call spoils later FP32 calls."""

FAULT = "rope.poisoned_tables"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.repeated-calls"}

from .rope import check_positions, rope_cos_sin, rotate_pairs

TABLES = {}


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    key = (tuple(positions.shape), tuple(positions.flatten().tolist()), x.shape[-1], base)
    if key in TABLES:
        cos, sin = TABLES[key]
    else:
        cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
        TABLES[key] = cos.to(x.dtype), sin.to(x.dtype)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
