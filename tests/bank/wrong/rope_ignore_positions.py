"""Always counts from 0 and never looks at the positions it is given."""

FAULT = "rope.ignore_positions"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-offset", "rope.positions-batched"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    steps = torch.arange(x.shape[1], device=x.device)
    cos, sin = rope_cos_sin(steps, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
