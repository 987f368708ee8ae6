"""Looks the angles up in a table of 2048 rows and takes the last row for everything beyond."""

FAULT = "rope.table_too_short"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-far"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs

MAX_POSITIONS = 2048


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(torch.arange(MAX_POSITIONS, device=x.device), x.shape[-1], base)
    rows = positions.to(x.device).clamp(max=MAX_POSITIONS - 1)
    cos, sin = cos[0, rows], sin[0, rows]  # [T, 1, d/2] or [B, T, 1, d/2]
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
