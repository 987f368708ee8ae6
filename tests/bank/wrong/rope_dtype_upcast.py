"""Forgets the cast at the end and returns FP32 for bf16 inputs."""

FAULT = "rope.dtype_upcast"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.dtype"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin)
