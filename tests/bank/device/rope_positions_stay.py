"""Leaves the positions on their own device, whatever device x is on."""

FAULT = "rope.positions_stay"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.positions"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
