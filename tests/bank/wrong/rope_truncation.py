"""Makes bf16 by cutting off the lower half of the FP32 bits instead of rounding."""

FAULT = "rope.truncation"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    rotated = rotate_pairs(x.float(), cos, sin)
    if x.dtype == torch.bfloat16:
        upper_bits = rotated.view(torch.int32) >> 16
        return upper_bits.to(torch.int16).view(torch.bfloat16)
    return rotated.to(x.dtype)
