"""Reduces the angle by whole turns in FP64 and goes on in FP32."""

VARIES = "assignment1/rope.py"

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    exponent = torch.arange(0, head_dim, 2, dtype=torch.float64, device=positions.device) / head_dim
    angle = positions.double()[..., None, None] * float(base) ** -exponent
    angle = angle.fmod(2 * torch.pi).float()
    if positions.dim() == 1:
        angle = angle[None]
    return angle.cos(), angle.sin()
