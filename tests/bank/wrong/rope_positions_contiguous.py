"""Takes the first position as a start and counts on from there."""

FAULT = "rope.positions_contiguous"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-offset", "rope.positions-packed"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    start = positions.to(x.device)[..., :1]
    steps = start + torch.arange(x.shape[1], device=x.device)
    cos, sin = rope_cos_sin(steps, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
