"""Brings angles back to one turn with pi = 3.1416, which is off by more with every turn."""

FAULT = "rope.rounded_pi"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision", "rope.positions-far"}

import torch

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    rows = positions if positions.dim() == 2 else positions[None]
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = torch.remainder(rows.float()[..., None] * theta, 2 * 3.1416)[:, :, None]
    return angle.cos(), angle.sin()
