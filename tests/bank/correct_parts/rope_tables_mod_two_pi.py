"""Brings each FP32 angle into one turn before cos and sin."""

VARIES = "assignment1/rope.py"

import math

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    exponent = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim
    angle = positions.float().unsqueeze(-1) * base**-exponent
    angle = torch.remainder(angle, 2 * math.pi)
    angle = angle.unsqueeze(-2) if positions.dim() == 2 else angle.unsqueeze(0).unsqueeze(2)
    return torch.cos(angle), torch.sin(angle)
