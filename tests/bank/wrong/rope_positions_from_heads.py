"""Counts positions along axis 2, so every head is rotated by its own index."""

FAULT = "rope.positions_from_heads"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.head-axis"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    steps = torch.arange(x.shape[-2], device=x.device)
    cos, sin = rope_cos_sin(steps, x.shape[-1], base)
    cos, sin = cos.transpose(1, 2), sin.transpose(1, 2)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
