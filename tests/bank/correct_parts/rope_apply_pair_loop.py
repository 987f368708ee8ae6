"""Rotates one pair at a time and writes it into a new tensor."""

VARIES = "assignment1/rope.py"

import torch


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    p = torch.atleast_2d(positions).float().unsqueeze(-1)
    out = torch.zeros(x.shape, dtype=torch.float32, device=x.device)
    for r in range(x.shape[-1] // 2):
        angle = p * base ** (-2 * r / x.shape[-1])
        cos, sin = torch.cos(angle), torch.sin(angle)
        a = x[..., 2 * r].float()
        b = x[..., 2 * r + 1].float()
        out[..., 2 * r] = a * cos - b * sin
        out[..., 2 * r + 1] = a * sin + b * cos
    return out.to(x.dtype)
