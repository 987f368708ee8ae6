"""Takes the angles for degrees."""

FAULT = "rope.degrees"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.cos-sin-values", "rope.adjacent-pairs"}

import torch

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = torch.deg2rad(positions.float().unsqueeze(-1) * theta).unsqueeze(-2)
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    return angle.cos(), angle.sin()
