"""Rotates in FP16 instead of FP32."""

FAULT = "rope.fp16_inside"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.half(), cos.half(), sin.half()).to(x.dtype)
