"""Reads every position with .item() and rotates token by token."""

FAULT = "rope.positions_by_item"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.no-round-trip"}

import torch

from .rope import check_positions, rope_frequencies, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    theta = rope_frequencies(x.shape[-1], base).to(x.device)
    rows = positions if positions.ndim == 2 else positions.unsqueeze(0)
    angle = torch.stack([torch.stack([float(p.item()) * theta for p in row]) for row in rows]).unsqueeze(2)
    return rotate_pairs(x.float(), angle.cos(), angle.sin()).to(x.dtype)
