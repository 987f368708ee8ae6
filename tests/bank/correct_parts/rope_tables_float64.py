"""Angles, cosines and sines in FP64, rounded to FP32 at the end."""

VARIES = "assignment1/rope.py"

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    r = torch.arange(head_dim // 2, dtype=torch.float64, device=positions.device)
    theta = float(base) ** (-2.0 * r / head_dim)
    angle = torch.atleast_2d(positions).double()[:, :, None, None] * theta
    return torch.cos(angle).float(), torch.sin(angle).float()
