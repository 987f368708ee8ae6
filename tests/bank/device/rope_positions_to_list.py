"""Turns the positions into a Python list and back, to check that they are whole numbers."""

FAULT = "rope.positions_to_list"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.no-round-trip"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    listed = positions.tolist()
    positions = torch.tensor(listed, dtype=torch.long, device=x.device).reshape(positions.shape)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
