"""Casts the positions to the input's dtype, so 257 becomes 256 in bf16."""

FAULT = "rope.low_precision_positions"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    positions = positions.to(device=x.device, dtype=x.dtype)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
