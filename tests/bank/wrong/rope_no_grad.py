"""Rotates under no_grad, so no gradient reaches Q and K."""

FAULT = "rope.no_grad"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.gradients"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


@torch.no_grad()
def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
