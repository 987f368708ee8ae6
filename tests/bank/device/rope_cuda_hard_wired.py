"""Puts the frequencies on the GPU whenever there is one, wherever the positions are."""

FAULT = "rope.cuda_hard_wired"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.module-to"}

import torch

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base)
    if torch.cuda.is_available():
        theta = theta.cuda()
    angle = positions.float().unsqueeze(-1) * theta
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    angle = angle.unsqueeze(2)
    return angle.cos(), angle.sin()
