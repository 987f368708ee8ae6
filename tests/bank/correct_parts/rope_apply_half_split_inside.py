"""Moves even components to the front, rotates halves, moves them back to their places."""

VARIES = "assignment1/rope.py"

import torch


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    theta = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float32, device=x.device) / x.shape[-1])
    angle = torch.atleast_2d(positions).float()[:, :, None, None] * theta
    cos, sin = angle.cos().repeat(1, 1, 1, 2), angle.sin().repeat(1, 1, 1, 2)
    h = x.float().unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2)
    first, second = h.tensor_split(2, dim=-1)
    h = h * cos + torch.cat((-second, first), dim=-1) * sin
    return h.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2).to(x.dtype)
