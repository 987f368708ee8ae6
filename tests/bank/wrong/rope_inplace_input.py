"""Writes the rotated pairs into an FP32 input, because float() returns the very same tensor."""

FAULT = "rope.inplace_input"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.no-side-effects"}

from .rope import check_positions, rope_cos_sin


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    out = x.float()
    even, odd = out[..., 0::2].clone(), out[..., 1::2].clone()
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out.to(x.dtype)
