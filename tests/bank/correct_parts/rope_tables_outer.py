"""Angles by torch.outer of the flattened positions, reshaped afterwards."""

VARIES = "assignment1/rope.py"

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = 1.0 / base ** (torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim)
    angle = torch.outer(positions.reshape(-1).float(), theta)
    batch = positions.shape[0] if positions.dim() == 2 else 1
    angle = angle.reshape(batch, positions.shape[-1], 1, head_dim // 2)
    return torch.cos(angle), torch.sin(angle)
