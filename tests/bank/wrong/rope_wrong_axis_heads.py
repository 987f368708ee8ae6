"""Broadcasts the tables as for [B, H, T, d], so they run over the heads of [B, T, H, d]."""

FAULT = "rope.wrong_axis_heads"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.head-axis"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    cos, sin = cos.transpose(1, 2), sin.transpose(1, 2)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
