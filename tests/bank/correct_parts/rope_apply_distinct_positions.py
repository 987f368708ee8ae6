"""Makes one table row for each distinct position and gathers the rows."""

VARIES = "assignment1/rope.py"

import torch


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    distinct, row = torch.unique(torch.atleast_2d(positions), return_inverse=True)
    theta = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float32, device=x.device) / x.shape[-1])
    angle = distinct.float().unsqueeze(-1) * theta
    cos = angle.cos()[row].unsqueeze(2)
    sin = angle.sin()[row].unsqueeze(2)
    a, b = x.float()[..., 0::2], x.float()[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return turned.flatten(-2).to(x.dtype)
