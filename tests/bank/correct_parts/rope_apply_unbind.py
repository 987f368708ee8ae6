"""Splits the pairs by unflatten and unbind."""

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
    cos, sin = torch.cos(angle), torch.sin(angle)
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(dim=-1)
    pairs = [a * cos - b * sin, b * cos + a * sin]
    return torch.stack(pairs, dim=-1).reshape(x.shape).type_as(x)
